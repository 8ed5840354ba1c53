import Foundation
import HTTPMessages
import Signing
import TestSupport
import Testing
import Transport

private let peer = ProcessInfo.processInfo.environment["PATCHBAY_PYTHON_PEERS"]

/// PyPI's `http-message-signatures`, in `.ci/python-peers.py`, which `.ci/interop` starts.
@Suite(.needsSlot, .enabled(if: peer != nil, "PATCHBAY_PYTHON_PEERS is not set."))
struct PythonSigningInteropTests {
    private func request(
        _ path: String, _ key: String, _ algorithm: SignatureAlgorithm, body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        let fields = try HTTPFields([
            "Peer-Algorithm": algorithm.rawValue, "Peer-Key": Data(key.utf8).base64EncodedString(),
            "X-List": "a=1,   b=2", "X-Text": "some text",
        ])
        return try HTTPRequest(.post, "\(#require(peer))\(path)?id=a%20b&x=%7E", fields: fields, body: body)
    }

    private func pem(_ label: String, _ der: Data) -> String {
        "-----BEGIN \(label)-----\n\(der.base64EncodedString(options: .lineLength64Characters))\n-----END \(label)-----\n"
    }

    private func components() throws -> [SignatureComponent] {
        try [
            .method, .targetURI, .authority, .scheme, .path, .query, .queryParameter("id"), .contentDigest,
            .field(.contentType), .field(HTTPFieldName("X-Text")), .field(HTTPFieldName("X-List")).member("b"),
        ]
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `it verifies our signatures, and refuses a changed one`(algorithm: SignatureAlgorithm) async throws {
        let secret = "a shared secret of the test"
        let key =
            algorithm == .hmacSHA256
            ? try SigningKey(algorithm, rawRepresentation: Data(secret.utf8), id: "peer-key")
            : try SigningKey.generate(algorithm, id: "peer-key")
        let text = key.verificationKey.der.map { pem("PUBLIC KEY", $0) } ?? secret
        var signature = try HTTPMessageSignature(key, components: components())
        (signature.tag, signature.lifetime, signature.includesAlgorithm) = ("interop", .seconds(60), true)
        var request = try request("/verify", text, algorithm, body: .text("{\"amount\": 5}"))
        try request.fields.set(.contentType, to: "application/json")
        let transport = URLSessionTransport.shared
        let response = try await transport.signing(signature).send(request)
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == .ok && body.contains("content-digest"), "\(body)")
        // The same signature for another text, method and body.
        var signed = request
        try await signature.sign(&signed, at: Date())
        var changed = signed
        try changed.fields.set("X-Text", to: "other text")
        let renamed = try HTTPRequest(.put, signed.url.absoluteString, fields: signed.fields, body: signed.body)
        let other = try HTTPRequest(.post, signed.url.absoluteString, fields: signed.fields, body: .text("{}"))
        #expect(try await transport.send(signed).status == .ok)
        for request in [changed, renamed, other] { #expect(try await transport.send(request).status == .forbidden) }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `we verify its signatures, and refuse a changed one`(algorithm: SignatureAlgorithm) async throws {
        let secret = "a shared secret of the test"
        let key =
            algorithm == .hmacSHA256
            ? try SigningKey(algorithm, rawRepresentation: Data(secret.utf8)) : try SigningKey.generate(algorithm)
        let text = algorithm == .hmacSHA256 ? secret : pem("PRIVATE KEY", key.secretRepresentation)
        let request = try request("/sign", text, algorithm)
        var response = try await URLSessionTransport.shared.send(request)
        var verifier = MessageVerifier(requiring: [.status, .contentDigest, .method.ofRequest, .targetURI.ofRequest]) {
            $0 == "peer-key" ? key.verificationKey : nil
        }
        (verifier.label, verifier.tag) = ("peer", "interop")
        let verified = try verifier.verify(response.head, to: request)
        #expect(verified.parameters.nonce == "n-1" && verified.parameters.algorithm == algorithm.rawValue)
        #expect(verified.components.count == 5)
        try response.verifyContentDigest()
        try response.head.fields.set(.contentType, to: "text/plain")
        let error = #expect(throws: SigningError.self) { try verifier.verify(response.head, to: request) }
        #expect(error?.code == .invalidSignature)
    }
}
