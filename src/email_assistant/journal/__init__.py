"""The durable record: mail status, runs, reviews, effects and preference revisions, in a SQL database."""
