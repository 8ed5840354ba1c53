"""Peers of PyPI for the interop tests, as one WSGI app:

/verify                 verifies the RFC 9421 signature of the request with http-message-signatures
/sign                   a response that http-message-signatures has signed
/multipart/read/NAME    reads a form with werkzeug or python-multipart, and lists its parts
/multipart/write/NAME   a form that werkzeug or urllib3 has written

The keys are those of the caller, in the fields Peer-Algorithm and Peer-Key (Base64 of PEM, or of a shared secret).
"""

import base64
import hashlib
import io
import json
import types

import http_message_signatures as signatures
from http_message_signatures import algorithms
from python_multipart import FormParser
from python_multipart.multipart import parse_options_header
from urllib3.fields import RequestField
from urllib3.filepost import encode_multipart_formdata
from werkzeug import Request, Response
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.formparser import parse_form_data
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartEncoder, Preamble

ALGORITHMS = {
    algorithm.algorithm_id: algorithm
    for algorithm in [
        algorithms.ECDSA_P256_SHA256, algorithms.ECDSA_P384_SHA384, algorithms.ED25519, algorithms.HMAC_SHA256,
        algorithms.RSA_PSS_SHA512, algorithms.RSA_V1_5_SHA256,
    ]
}


class Keys(signatures.HTTPSignatureKeyResolver):
    def __init__(self, key):
        self.key = key

    def resolve_public_key(self, key_id):
        return self.key if key_id == "peer-key" else None

    def resolve_private_key(self, key_id):
        return self.key


def message_of(request):
    # The URL as it was sent: that of werkzeug is normalized.
    target = request.environ["RAW_URI"]
    return types.SimpleNamespace(
        method=request.method, url=f"http://{request.host}{target}", request_target=target,
        headers={name: value for name, value in request.headers.items()})


def key_of(request):
    return base64.b64decode(request.headers["Peer-Key"]), ALGORITHMS[request.headers["Peer-Algorithm"]]


def verify(request):
    key, algorithm = key_of(request)
    verifier = signatures.HTTPMessageVerifier(signature_algorithm=algorithm, key_resolver=Keys(key))
    message, body = message_of(request), request.get_data()
    try:
        results = verifier.verify(message, require_components=("@method", "@target-uri"))
        if body:
            results = verifier.verify_body(message, results, body)
    except Exception as error:
        return Response(f"{type(error).__name__}: {error}", 403)
    return Response(json.dumps(sorted(str(name) for name in results[0].covered_components)))


def sign(request):
    key, algorithm = key_of(request)
    body = b'{"signed": true}'
    message = types.SimpleNamespace(
        status_code=201, request=message_of(request), headers={"Content-Type": "application/json"})
    signer = signatures.HTTPMessageSigner(signature_algorithm=algorithm, key_resolver=Keys(key))
    signer.sign(
        message, key_id="peer-key", label="peer", tag="interop", nonce="n-1", body=body,
        covered_component_ids=("@status", "content-type", '"@method";req', '"@target-uri";req'))
    return Response(body, message.status_code, message.headers)


def described(name, file_name, media_type, data):
    return {
        "name": name, "fileName": file_name, "mediaType": media_type, "size": len(data),
        "digest": hashlib.sha256(data).hexdigest(),
    }


def read_with_werkzeug(request):
    _, form, files = parse_form_data(request.environ, silent=False, max_form_parts=20_000)
    parts = [described(name, None, None, value.encode()) for name, value in form.items(multi=True)]
    return parts + [
        described(name, file.filename, file.content_type, file.read()) for name, file in files.items(multi=True)
    ]


def read_with_python_multipart(request):
    parts = []

    def on_field(field):
        parts.append(described(field.field_name.decode(), None, None, field.value or b""))

    def on_file(file):
        file.file_object.seek(0)
        parts.append(
            described(file.field_name.decode(), file.file_name.decode(), file.content_type, file.file_object.read()))

    media_type, options = parse_options_header(request.headers["Content-Type"])
    parser = FormParser(media_type.decode(), on_field, on_file, boundary=options[b"boundary"])
    parser.write(request.get_data())
    parser.finalize()
    return parts


def sample():
    """Parts with what is hard: an empty one, line ends, text that looks like a boundary, all bytes, other alphabets."""
    yield "empty", None, None, b""
    yield "text", None, None, "gr\u00fc\u00df\r\n--x\r\n\r\nend\r\n".encode()
    yield "name with blanks", None, None, b"--\r\n--"
    yield "file", "a b.bin", "application/octet-stream", bytes(range(256)) * 4096
    yield "file", "\u03b1\u03b2.txt", "text/plain", b"two files of one name"


def write_with_werkzeug():
    encoder = MultipartEncoder(b"werkzeug-boundary")
    output = io.BytesIO()
    output.write(encoder.send_event(Preamble(data=b"a preamble")))
    for name, file_name, media_type, data in sample():
        headers = Headers({"Content-Type": media_type} if media_type else {})
        head = File(name=name, filename=file_name, headers=headers) if file_name else Field(name=name, headers=headers)
        output.write(encoder.send_event(head))
        output.write(encoder.send_event(Data(data=data, more_data=False)))
    output.write(encoder.send_event(Epilogue(data=b"an epilogue")))
    return output.getvalue(), "multipart/form-data; boundary=werkzeug-boundary"


def write_with_urllib3():
    fields = []
    for name, file_name, media_type, data in sample():
        field = RequestField(name, data, filename=file_name)
        field.make_multipart(content_type=media_type)
        fields.append(field)
    return encode_multipart_formdata(fields)


READERS = {"werkzeug": read_with_werkzeug, "python-multipart": read_with_python_multipart}
WRITERS = {"werkzeug": write_with_werkzeug, "urllib3": write_with_urllib3}


def respond(request):
    words = request.path.strip("/").split("/")
    if words == ["verify"]:
        return verify(request)
    if words == ["sign"]:
        return sign(request)
    if words[:2] == ["multipart", "read"] and words[2] in READERS:
        return Response(json.dumps(READERS[words[2]](request)), mimetype="application/json")
    if words[:2] == ["multipart", "write"] and words[2] in WRITERS:
        body, media_type = WRITERS[words[2]]()
        parts = [described(*part) for part in sample()]
        head = {"Content-Type": media_type, "Peer-Parts": json.dumps(parts)}
        return Response(body, headers=head)
    raise NotFound()


@Request.application
def app(request):
    try:
        return respond(request)
    except HTTPException as error:
        return error
