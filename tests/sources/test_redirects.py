"""Where a redirect may lead."""

import pytest

from hubcmp.errors import SourceError
from hubcmp.sources._redirects import is_inner, next_hop, origin

PUBLIC = "https://93.184.215.14"
LOCAL = "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/api/resolve-cache/x?a=b", f"{PUBLIC}/api/resolve-cache/x?a=b"),
        ("https://93.184.215.15/blob?Signature=x", "https://93.184.215.15/blob?Signature=x"),
        ("//93.184.215.15/blob", "https://93.184.215.15/blob"),
    ],
)
def test_public_redirects_are_followed(location: str, target: str) -> None:
    assert next_hop(f"{PUBLIC}/a/b", location, PUBLIC) == target


@pytest.mark.parametrize(
    "location",
    [
        "http://93.184.215.15/x", "https://127.0.0.1/x", "https://localhost/x", "https://a.localhost/x", "https://169.254.169.254/x",
        "https://10.0.0.1/x", "https://192.168.1.1/x", "https://[::1]/x", "https://[::ffff:127.0.0.1]/x", "https://[fd00::1]/x",
        "https://[fe80::1%25eth0]/x", "https://0.0.0.0/x", "https://100.64.0.1/x", "file:///etc/passwd", "ftp://93.184.215.15/x",
        "https://user:secret@93.184.215.15/x", "https://[::1", "javascript:alert(1)", "https://93.184.215.15:port/",
    ],
)  # fmt: skip
def test_redirects_inwards_or_in_the_clear_are_refused(location: str) -> None:
    with pytest.raises(SourceError, match="not followed") as refusal:
        next_hop(f"{PUBLIC}/a/b", location, PUBLIC)
    assert "secret" not in str(refusal.value)


def test_loopback_endpoint_may_lead_to_loopback_and_to_the_world_only() -> None:
    assert next_hop(f"{LOCAL}/a", "http://127.0.0.1:9000/x", LOCAL) == "http://127.0.0.1:9000/x"
    assert next_hop(f"{LOCAL}/a", "https://93.184.215.14/x", LOCAL) == "https://93.184.215.14/x"
    for location in ("http://93.184.215.14/x", "http://169.254.169.254/x", "https://10.0.0.1/x"):
        with pytest.raises(SourceError):
            next_hop(f"{LOCAL}/a", location, LOCAL)


def test_origin_is_scheme_host_and_port() -> None:
    assert origin("https://Host/a") == origin("https://host:443/b") == ("https", "host", 443)
    assert len({origin(url) for url in ("https://h", "http://h", "https://h:8443", "https://g")}) == 4


def test_decimal_and_other_spellings_of_loopback_are_inner() -> None:
    assert is_inner("127.0.0.1")
    assert is_inner("2130706433")
    assert is_inner("0x7f.1")
    assert not is_inner("93.184.215.14")
