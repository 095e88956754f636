"""A stand-in for a domain's own pages and name servers, on loopback: what they would say, and what they were asked."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import dns.message
import dns.resolver
import dns.rrset
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LOCAL = "127.0.0.1"


def certificate(folder: Path) -> Path:
    """A certificate of this machine that vouches for itself, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    begin = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address(LOCAL))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + datetime.timedelta(days=365 * 200))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / "certificate.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, *form)
    )
    return file


def serving(file: Path) -> ssl.SSLContext:
    """With which a server shows the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


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
