"""A stand-in for a domain's own pages and name servers, on loopback: what they would say, and what they were asked."""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import dns.message
import dns.resolver
import dns.rrset

LOCAL = "127.0.0.1"


@dataclass
class NameServer:
    """A stand-in for the domain name system."""

    records: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    """What is said of a name, by name and kind."""
    asked: list[str] = field(default_factory=list)
    port: int = 0

    def resolver(self) -> dns.resolver.Resolver:
        """One that asks nobody else."""
        made = dns.resolver.Resolver(configure=False)
        made.nameservers, made.port = [LOCAL], self.port
        return made

    def answer(self, raw: bytes) -> bytes:
        """What it says to a question."""
        question = dns.message.from_wire(raw)
        asked = question.question[0]
        name, kind = asked.name.to_text(omit_final_dot=True), dns.rdatatype.to_text(asked.rdtype)
        self.asked.append(name)
        reply = dns.message.make_response(question)
        if found := self.records.get((name, kind)):
            reply.answer.append(dns.rrset.from_text(asked.name, 60, "IN", kind, *found))
        return reply.to_wire()


@contextmanager
def name_server() -> Iterator[NameServer]:
    """One on a free port."""
    made = NameServer()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind((LOCAL, 0))
        made.port = listener.getsockname()[1]

        def serve() -> None:
            while True:
                raw, sender = listener.recvfrom(4_096)
                if sender[1] == made.port:
                    return
                listener.sendto(made.answer(raw), sender)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield made
        listener.sendto(b"end", (LOCAL, made.port))
        thread.join(10)
