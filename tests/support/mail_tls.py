"""Certificates for mail servers on loopback, of an authority that exists for one test run; and what passes between them and a program."""

import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LOCAL = "127.0.0.1"
YEAR = timedelta(days=365)


@dataclass(frozen=True)
class Certified:
    """What a server shows."""

    chain: Path
    key: Path

    @property
    def context(self) -> ssl.SSLContext:
        """The same for a server of this process."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.chain, self.key)
        return context


class Authority:
    """Vouches for servers, in the folder."""

    def __init__(self, folder: Path, name: str = "Authority of a test") -> None:
        """Writes its own certificate."""
        self._folder, self._key = folder, ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = _begun(self._name, self._name, self._key, years=(-20, 50))
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def certified(self, host: str = LOCAL, *, years: tuple[int, int] = (-10, 40)) -> Certified:
        """A server of that address, from and until so many years from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        made = _begun(name, self._name, key, years=years)
        known = [
            x509.IPAddress(ipaddress.ip_address(host)),
            *([x509.DNSName("localhost")] if host == LOCAL else []),
        ]
        names = x509.SubjectAlternativeName(known)
        signed = made.add_extension(names, critical=False).sign(self._key, hashes.SHA256())
        stem = f"{self.file.stem} {host} {years[1]}"
        found = Certified(self._folder / f"{stem}.pem", self._folder / f"{stem}.key")
        found.chain.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        found.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return found


def _begun(
    name: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, years: tuple[int, int]
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(key.public_key())
    made = made.serial_number(x509.random_serial_number())
    return made.not_valid_before(now + years[0] * YEAR).not_valid_after(now + years[1] * YEAR)


@dataclass
class Between:
    """Stands between a program and a server, and writes down what the program says to it."""

    port: int
    said: bytearray = field(default_factory=bytearray)
    """As it came, encrypted or not."""


@contextmanager
def between(
    port: int,
    instead: Mapping[bytes, bytes] | None = None,
    *,
    shows: Certified | None = None,
    hangs_up: bytes | None = None,
) -> Iterator[Between]:
    """In front of the server on this port: puts something in place of what that says, and hangs up when the program says this.

    With `shows` the program has to speak TLS from the first byte, and what it says is written down decrypted.
    """
    with socket.create_server((LOCAL, 0)) as listener:
        made = Between(listener.getsockname()[1])

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=pass_on, args=(listener.accept()[0],), daemon=True).start()

        def pass_on(client: socket.socket) -> None:
            with suppress(OSError):  # A certificate that is refused is one.
                if shows:
                    client = shows.context.wrap_socket(client, server_side=True)
                server = socket.create_connection((LOCAL, port))
                threading.Thread(target=answer, args=(server, client), daemon=True).start()
                with server:
                    while got := client.recv(65_536):
                        made.said.extend(got)
                        if hangs_up and hangs_up in got:
                            break
                        server.sendall(got)
            client.close()

        def answer(server: socket.socket, client: socket.socket) -> None:
            with suppress(OSError):
                while got := server.recv(65_536):
                    for name, other in (instead or {}).items():
                        got = got.replace(name, other)
                    client.sendall(got)
                client.shutdown(socket.SHUT_RDWR)

        threading.Thread(target=serve, daemon=True).start()
        yield made
