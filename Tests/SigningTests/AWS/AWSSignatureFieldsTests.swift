import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import Signing

@Suite struct AWSSignatureFieldsTests {
    private static let date = Date(timeIntervalSince1970: 1_440_938_160)

    private func signer(token: String? = nil, _ payload: AWSSignatureV4.Payload = .signed) -> AWSSignatureV4 {
        let credentials = AWSCredentials(accessKeyID: "AKID", secretAccessKey: "s3cret", sessionToken: token)
        return .awsV4(.fixed(credentials), region: "r", service: "s3", payload: payload)
    }

    @Test func `a signed request is signed as the original one`() async throws {
        let original = try HTTPRequest(
            .put, "https://a.example/b?c=%20d", fields: HTTPFields(["Content-Encoding": "gzip"]), body: .text("e"))
        var expected = original
        try await signer().sign(&expected, at: Self.date)
        var request = original
        try await signer(token: "old").sign(&request, at: Self.date - 60)
        try request.fields.set("X-Amz-Decoded-Content-Length", to: "7")
        try await signer().sign(&request, at: Self.date)
        #expect(Set(request.fields) == Set(expected.fields) && request.url == expected.url)
        // The same of a request with a signature in its URL.
        var presigned = original
        try presigned.setURL(await signer(token: "old").presignedURL(for: original, at: Self.date - 60))
        try await signer().sign(&presigned, at: Self.date)
        #expect(Set(presigned.fields) == Set(expected.fields) && presigned.url == expected.url)
    }

    @Test(arguments: [
        "https://a.example/b?c=%20d", "https://a.example/?x-amz-checksum-mode=ENABLED", "https://a.example/",
    ])
    func `a URL with a signature gets another one in its place`(url: String) async throws {
        let original = try HTTPRequest(.get, url)
        let expected = try await signer().presignedURL(for: original, at: Self.date)
        var old = original
        try old.setURL(await signer(token: "old").presignedURL(for: original, at: Self.date - 60))
        #expect(try await signer().presignedURL(for: old, at: Self.date) == expected)
        #expect(expected.absoluteString.hasPrefix(url.hasSuffix("/") ? "\(url)?X-Amz-Algorithm" : "\(url)&X-Amz-"))
    }

    @Test(arguments: [AWSSignatureV4.Payload.signed, .chunked(), .unsigned])
    func `a body in signed chunks is not signed again`(payload: AWSSignatureV4.Payload) async throws {
        for coding in ["aws-chunked", "AWS-Chunked, gzip", "aws-chunked ,gzip"] {
            var request = try HTTPRequest(
                .put, "https://a.example/", fields: HTTPFields(["Content-Encoding": coding]), body: .text("a"))
            let before = request.fields
            let error = await #expect(throws: SigningError.self) {
                try await signer(payload).sign(&request, at: Self.date)
            }
            #expect(error?.code == .invalidParameter && request.fields == before, "\(coding)")
        }
    }

    /// Signs what arrived once more, as a service does to compare.
    @Test(.needsSlot) func `the signature covers fields of one name as they arrive`() async throws {
        let signer = signer()
        let transport = URLSessionTransport.shared.signing(signer, clock: ServerClock { Self.date })
        try await LoopbackServer { request in
            let sent = request.fields[.authorization] ?? ""
            let names = sent.split(separator: "SignedHeaders=").last?.prefix { $0 != "," }.split(separator: ";") ?? []
            var again = try HTTPRequest(
                request.method, request.url.absoluteString,
                fields: HTTPFields(
                    request.fields.filter { names.contains($0.name.canonicalName[...]) }
                        .map { ($0.name.rawName, $0.value) }),
                body: request.body)
            try await signer.sign(&again, at: Self.date)
            let isSame = again.fields[.authorization] == sent && names.contains("cookie") && names.contains("x-twice")
            return HTTPResponse(
                status: isSame ? .ok : .forbidden, fields: try HTTPFields(["X-Sent": sent]), url: request.url)
        }.stopping { server in
            let request = try HTTPRequest(
                .get, server.url(of: "/a?b=c"),
                fields: HTTPFields(["X-Twice": "a,  b", "Cookie": "c=1", "x-twice": "d", "cookie": "e=2"]))
            #expect(try await transport.send(request).status == .ok)
        }
    }
}
