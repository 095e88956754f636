CREATE TABLE mail (
    id {row_id}, mailbox TEXT NOT NULL, message_id TEXT NOT NULL, graph TEXT NOT NULL, mail_thread_id TEXT NOT NULL,
    run_thread_id TEXT NOT NULL, status TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL,
    attempts INTEGER NOT NULL, email_input JSON, received_at {time}, claimed_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    CONSTRAINT pk_mail PRIMARY KEY (id),
    CONSTRAINT uq_mail_mailbox_message_id_graph UNIQUE (mailbox, message_id, graph)
);
CREATE INDEX ix_mail_graph_status_outcome ON mail (graph, status, outcome);
CREATE INDEX ix_mail_run_thread_id ON mail (run_thread_id);
CREATE INDEX ix_mail_status_updated_at ON mail (status, updated_at);

CREATE TABLE dead_letters (
    id {row_id}, mailbox TEXT NOT NULL, message_id TEXT NOT NULL, graph TEXT NOT NULL, reason TEXT NOT NULL,
    attempts INTEGER NOT NULL, created_at {time} NOT NULL, replayed_at {time},
    CONSTRAINT pk_dead_letters PRIMARY KEY (id),
    CONSTRAINT fk_dead_letters_mailbox_message_id_graph_mail FOREIGN KEY (mailbox, message_id, graph)
        REFERENCES mail (mailbox, message_id, graph) ON DELETE CASCADE
);
CREATE INDEX ix_dead_letters_mailbox_message_id_graph ON dead_letters (mailbox, message_id, graph);

CREATE TABLE cursors (
    mailbox TEXT NOT NULL, value TEXT NOT NULL, updated_at {time} NOT NULL,
    CONSTRAINT pk_cursors PRIMARY KEY (mailbox)
);

CREATE TABLE runs (
    run_id TEXT NOT NULL, run_thread_id TEXT NOT NULL, graph TEXT NOT NULL, status TEXT NOT NULL, error TEXT,
    started_at {time} NOT NULL, ended_at {time}, trace_id TEXT NOT NULL, message_id TEXT, latency_ms FLOAT,
    CONSTRAINT pk_runs PRIMARY KEY (run_id)
);
CREATE INDEX ix_runs_message_id ON runs (message_id);
CREATE INDEX ix_runs_run_thread_id ON runs (run_thread_id);
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE INDEX ix_runs_trace_id ON runs (trace_id);

CREATE TABLE steps (
    id {row_id}, run_id TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL, snapshot JSON,
    latency_ms FLOAT NOT NULL, error TEXT, recorded_at {time} NOT NULL, step_id TEXT,
    CONSTRAINT pk_steps PRIMARY KEY (id)
);
CREATE INDEX ix_steps_run_id ON steps (run_id);

CREATE TABLE snapshot_values (
    trace_id TEXT NOT NULL, digest TEXT NOT NULL, value JSON NOT NULL,
    CONSTRAINT pk_snapshot_values PRIMARY KEY (trace_id, digest)
);

CREATE TABLE tool_executions (
    id {row_id}, run_id TEXT NOT NULL, tool_call_id TEXT NOT NULL, name TEXT NOT NULL, params JSON NOT NULL,
    result JSON, success BOOLEAN NOT NULL, error TEXT, latency_ms FLOAT NOT NULL, recorded_at {time} NOT NULL,
    step_id TEXT,
    CONSTRAINT pk_tool_executions PRIMARY KEY (id)
);
CREATE INDEX ix_tool_executions_recorded_at ON tool_executions (recorded_at);
CREATE INDEX ix_tool_executions_run_id ON tool_executions (run_id);

CREATE TABLE model_calls (
    id {row_id}, run_id TEXT NOT NULL, call TEXT NOT NULL, tier TEXT NOT NULL, model TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL,
    cost_nano_usd BIGINT, latency_ms FLOAT NOT NULL, attempts INTEGER NOT NULL, estimated BOOLEAN NOT NULL,
    error TEXT, recorded_at {time} NOT NULL, step_id TEXT,
    CONSTRAINT pk_model_calls PRIMARY KEY (id)
);
CREATE INDEX ix_model_calls_recorded_at ON model_calls (recorded_at);
CREATE INDEX ix_model_calls_run_id ON model_calls (run_id);

CREATE TABLE reviews (
    review_id TEXT NOT NULL, run_id TEXT NOT NULL, run_thread_id TEXT NOT NULL, title TEXT NOT NULL, card JSON,
    shown_count INTEGER NOT NULL, first_shown_at {time} NOT NULL, last_shown_at {time} NOT NULL, decision TEXT,
    answer JSON, answers JSON NOT NULL, decided_at {time}, step_name TEXT,
    CONSTRAINT pk_reviews PRIMARY KEY (review_id)
);
CREATE INDEX ix_reviews_run_id ON reviews (run_id);
CREATE INDEX ix_reviews_run_thread_id ON reviews (run_thread_id);

CREATE TABLE received_answers (
    run_thread_id TEXT NOT NULL, received_at {time} NOT NULL,
    CONSTRAINT pk_received_answers PRIMARY KEY (run_thread_id)
);

CREATE TABLE held_answers (
    id TEXT NOT NULL, run_thread_id TEXT NOT NULL, interrupt_id TEXT NOT NULL, digest TEXT NOT NULL,
    answer JSON NOT NULL, shown JSON NOT NULL, due {time} NOT NULL, state TEXT NOT NULL, why TEXT NOT NULL,
    following JSON NOT NULL, given_at {time} NOT NULL, begun_at {time}, run_id TEXT NOT NULL, ended_at {time},
    CONSTRAINT pk_held_answers PRIMARY KEY (id)
);
CREATE INDEX ix_held_answers_given_at ON held_answers (given_at);
CREATE UNIQUE INDEX uq_held_answers_open ON held_answers (run_thread_id, interrupt_id) WHERE state IN ('held', 'working');

CREATE TABLE outbox (
    id {row_id}, action_id TEXT NOT NULL, kind TEXT NOT NULL, subject_key TEXT NOT NULL, payload JSON NOT NULL,
    payload_digest TEXT NOT NULL, status TEXT NOT NULL, result JSON, reason TEXT NOT NULL,
    attempts INTEGER NOT NULL, started_at {time} NOT NULL, updated_at {time} NOT NULL,
    run_thread_id TEXT NOT NULL DEFAULT '', graph TEXT NOT NULL DEFAULT '', round INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT pk_outbox PRIMARY KEY (id),
    CONSTRAINT uq_outbox_action_id UNIQUE (action_id)
);
CREATE INDEX ix_outbox_run_thread_id ON outbox (run_thread_id);
CREATE INDEX ix_outbox_status ON outbox (status);
CREATE INDEX ix_outbox_subject_key_kind ON outbox (subject_key, kind);
CREATE INDEX ix_outbox_updated_at ON outbox (updated_at);

CREATE TABLE memory_revisions (
    profile TEXT NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL, origin TEXT NOT NULL, decision_id TEXT,
    created_at {time} NOT NULL,
    CONSTRAINT pk_memory_revisions PRIMARY KEY (profile, revision),
    CONSTRAINT uq_memory_revisions_profile_decision_id UNIQUE (profile, decision_id)
);

CREATE TABLE correspondents (
    mailbox TEXT NOT NULL, address TEXT NOT NULL, name TEXT NOT NULL, name_skeleton TEXT NOT NULL,
    domain TEXT NOT NULL, domain_skeleton TEXT NOT NULL, first_at {time} NOT NULL, last_at {time} NOT NULL,
    CONSTRAINT pk_correspondents PRIMARY KEY (mailbox, address)
);
CREATE INDEX ix_correspondents_mailbox_domain_skeleton_domain ON correspondents (mailbox, domain_skeleton, domain);
CREATE INDEX ix_correspondents_mailbox_name_skeleton ON correspondents (mailbox, name_skeleton);

CREATE TABLE category_corrections (
    id {row_id}, mailbox TEXT NOT NULL, key TEXT NOT NULL, message_id TEXT NOT NULL, category TEXT NOT NULL,
    decided_at {time} NOT NULL, forgotten_at {time},
    CONSTRAINT pk_category_corrections PRIMARY KEY (id),
    CONSTRAINT uq_category_corrections_mailbox_key_message_id UNIQUE (mailbox, key, message_id)
);

CREATE TABLE subscriptions (
    mailbox TEXT NOT NULL, list_key TEXT NOT NULL, name TEXT NOT NULL, sender TEXT NOT NULL,
    message_id TEXT NOT NULL, offers TEXT NOT NULL, messages INTEGER NOT NULL, first_at {time} NOT NULL,
    last_at {time} NOT NULL, answered BOOLEAN NOT NULL, state TEXT NOT NULL, method TEXT NOT NULL,
    requested_at {time}, verified_at {time}, still_coming BOOLEAN NOT NULL, run_thread_id TEXT NOT NULL DEFAULT '',
    CONSTRAINT pk_subscriptions PRIMARY KEY (mailbox, list_key)
);
CREATE INDEX ix_subscriptions_mailbox_state ON subscriptions (mailbox, state);

CREATE TABLE subscription_mail (
    mailbox TEXT NOT NULL, message_id TEXT NOT NULL, list_key TEXT NOT NULL,
    CONSTRAINT pk_subscription_mail PRIMARY KEY (mailbox, message_id)
);

CREATE TABLE backfills (
    id {row_id}, mailbox TEXT NOT NULL, graph TEXT NOT NULL, state TEXT NOT NULL, after {time},
    before {time} NOT NULL, cost_limit_nano_usd BIGINT, planned BOOLEAN NOT NULL, planner TEXT NOT NULL,
    planner_until {time}, started_at {time} NOT NULL, ended_at {time},
    CONSTRAINT pk_backfills PRIMARY KEY (id)
);
CREATE UNIQUE INDEX uq_backfills_unfinished ON backfills (mailbox, graph) WHERE ended_at IS NULL;

CREATE TABLE backfill_chunks (
    backfill_id INTEGER NOT NULL, position INTEGER NOT NULL, messages JSON NOT NULL, size INTEGER NOT NULL,
    settled INTEGER NOT NULL, worker TEXT NOT NULL, leased_until {time}, cost_nano_usd BIGINT, done_at {time},
    CONSTRAINT pk_backfill_chunks PRIMARY KEY (backfill_id, position)
);
CREATE INDEX ix_backfill_chunks_backfill_id_done_at ON backfill_chunks (backfill_id, done_at);

CREATE TABLE contacts (
    address TEXT NOT NULL, name TEXT NOT NULL, organisation TEXT NOT NULL, phone TEXT NOT NULL, role TEXT NOT NULL,
    notes TEXT NOT NULL, tags JSON NOT NULL, source TEXT NOT NULL, search_text TEXT NOT NULL,
    created_at {time} NOT NULL, updated_at {time} NOT NULL,
    CONSTRAINT pk_contacts PRIMARY KEY (address)
);

CREATE TABLE catalogue_imports (
    revision {number}, products INTEGER NOT NULL, imported_at {time} NOT NULL,
    CONSTRAINT pk_catalogue_imports PRIMARY KEY (revision)
);

CREATE TABLE products (
    key TEXT NOT NULL, revision INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
    category TEXT NOT NULL, category_key TEXT NOT NULL, description TEXT NOT NULL, price TEXT NOT NULL,
    seasons JSON NOT NULL, promotion JSON, stock BIGINT NOT NULL,
    CONSTRAINT pk_products PRIMARY KEY (key)
);
CREATE INDEX ix_products_category_key_position ON products (category_key, position);
CREATE INDEX ix_products_position ON products (position);

CREATE TABLE orders (
    order_id TEXT NOT NULL, state TEXT NOT NULL, status TEXT, total TEXT, taken_at {time} NOT NULL,
    settled_at {time},
    CONSTRAINT pk_orders PRIMARY KEY (order_id)
);
CREATE INDEX ix_orders_state ON orders (state);
CREATE INDEX ix_orders_taken_at_order_id ON orders (taken_at, order_id);

CREATE TABLE order_lines (
    order_id TEXT NOT NULL, position INTEGER NOT NULL, product_key TEXT NOT NULL, product_id TEXT NOT NULL,
    asked BIGINT NOT NULL, everything BOOLEAN NOT NULL, taken BIGINT NOT NULL, product_name TEXT, unit_price TEXT,
    status TEXT, discount TEXT, total TEXT, promotion TEXT, gifts JSON, alternatives JSON,
    CONSTRAINT pk_order_lines PRIMARY KEY (order_id, position),
    CONSTRAINT fk_order_lines_order_id_orders FOREIGN KEY (order_id)
        REFERENCES orders (order_id) ON DELETE CASCADE
);

CREATE TABLE customers (
    tenant_id TEXT NOT NULL, user_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, since DATE NOT NULL,
    CONSTRAINT pk_customers PRIMARY KEY (tenant_id, user_id),
    CONSTRAINT uq_customers_tenant_id_email UNIQUE (tenant_id, email)
);
CREATE INDEX ix_customers_email ON customers (email);

CREATE TABLE policies (
    tenant_id TEXT NOT NULL, policy_id TEXT NOT NULL, user_id TEXT NOT NULL, product TEXT NOT NULL,
    status TEXT NOT NULL, starts DATE NOT NULL, ends DATE NOT NULL, paid_until DATE NOT NULL, paid TEXT NOT NULL,
    "limit" TEXT NOT NULL, excess TEXT NOT NULL, cancelled_on DATE,
    CONSTRAINT pk_policies PRIMARY KEY (tenant_id, policy_id)
);
CREATE INDEX ix_policies_tenant_id_user_id ON policies (tenant_id, user_id);

CREATE TABLE incidents (
    tenant_id TEXT NOT NULL, incident_id TEXT NOT NULL, user_id TEXT NOT NULL, policy_id TEXT NOT NULL,
    issue TEXT NOT NULL, is_valid TEXT NOT NULL, resolution TEXT NOT NULL, citations JSON NOT NULL,
    confidence FLOAT NOT NULL, amount TEXT NOT NULL, created_at {time} NOT NULL, user_role TEXT NOT NULL DEFAULT '',
    CONSTRAINT pk_incidents PRIMARY KEY (tenant_id, incident_id)
);
CREATE INDEX ix_incidents_tenant_id_user_id_created_at ON incidents (tenant_id, user_id, created_at);

CREATE TABLE tickets (
    id {row_id}, tenant_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, outer_key TEXT NOT NULL,
    user_id TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL,
    url TEXT NOT NULL, created_at {time} NOT NULL, closed_at {time},
    CONSTRAINT pk_tickets PRIMARY KEY (id),
    CONSTRAINT uq_tickets_tenant_id_idempotency_key UNIQUE (tenant_id, idempotency_key)
);
CREATE INDEX ix_tickets_tenant_id_outer_key ON tickets (tenant_id, outer_key);
CREATE INDEX ix_tickets_tenant_id_user_id ON tickets (tenant_id, user_id);

CREATE TABLE refunds (
    tenant_id TEXT NOT NULL, idempotency_key TEXT NOT NULL, user_id TEXT NOT NULL, policy_id TEXT NOT NULL,
    amount TEXT NOT NULL, currency TEXT NOT NULL, state TEXT NOT NULL, receipt TEXT NOT NULL, reason TEXT NOT NULL,
    reserved_at {time} NOT NULL, settled_at {time},
    CONSTRAINT pk_refunds PRIMARY KEY (tenant_id, idempotency_key)
);
CREATE INDEX ix_refunds_tenant_id_policy_id ON refunds (tenant_id, policy_id);
CREATE INDEX ix_refunds_tenant_id_user_id ON refunds (tenant_id, user_id);
