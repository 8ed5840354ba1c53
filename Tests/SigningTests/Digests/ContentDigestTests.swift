import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

@testable import Signing

/// The examples of RFC 9530, appendices A and B.
@Suite struct ContentDigestTests {
    private static let url = "https://example.com/"

    @Test func `the digests of the published examples`() async throws {
        let body = HTTPBody.text(#"{"hello": "world"}"# + "\n")
        #expect(
            try await ContentDigest.value(of: body) == "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:")
        #expect(
            try await ContentDigest.value(of: .text(#"{"hello": "world"}"#), [.sha512]) == RFC9421Tests.digest)
        #expect(
            try await ContentDigest.value(of: .empty)
                == "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:")
        let both = try await ContentDigest.value(of: body, [.sha256, .sha512])
        #expect(both.hasPrefix("sha-256=:") && both.contains(", sha-512=:"))
    }

    @Test func `a file has the digest of its bytes, and a stream has none`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try bytes.write(to: file)
        let expected = try await ContentDigest.value(of: .bytes(bytes))
        #expect(try await ContentDigest.value(of: .file(at: file)) == expected)
        let stream = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
        let error = await #expect(throws: SigningError.self) { _ = try await ContentDigest.value(of: stream) }
        #expect(error?.code == .bodyNotReplayable)
    }

    static let cases: [(field: String?, isRequired: Bool, SigningError.Code?)] = [
        ("sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:", true, nil),
        ("sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa4=:", false, .digestMismatch),
        // The strongest one counts.
        ("sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:, sha-512=:AA==:", true, .digestMismatch),
        ("md5=:AA==:", true, .missingDigest), ("md5=:AA==:", false, nil), (nil, true, .missingDigest),
        (nil, false, nil),
        ("sha-256=1", false, .malformedField), ("sha-256=(", false, .malformedField),
    ]

    @Test(arguments: cases.indices) func `a response is compared with its digest`(index: Int) throws {
        let (field, isRequired, expected) = Self.cases[index]
        var response = HTTPResponse(status: .ok, body: Data("abc".utf8), url: try URL(httpString: Self.url))
        if let field { try response.head.fields.set("Content-Digest", to: field) }
        let result = Result { try response.verifyContentDigest(isRequired: isRequired) }
        if let expected {
            let error = #expect(throws: SigningError.self) { try result.get() }
            #expect(error?.code == expected && (error?.head == response.head || expected == .malformedField))
        } else {
            try result.get()
        }
    }

    @Test func `a decoded body cannot be compared, and a response without a body need not be`() throws {
        var response = HTTPResponse(status: .ok, body: Data("abc".utf8), url: try URL(httpString: Self.url))
        try response.head.fields.set("Content-Digest", to: "sha-256=:AA==:")
        response.head.decodedContentCodings = "gzip"
        let error = #expect(throws: SigningError.self) { try response.verifyContentDigest() }
        #expect(error?.code == .missingDigest)
        response.head.method = .head
        try response.verifyContentDigest()
    }
}
