import CurlTransport
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@Suite(.needsSlot) struct ContentCodingTests {
    /// 840 characters in Brotli, and that in gzip.
    private static let coded = "H4sIAAAAAAACA5N2Z/7RO2XF59WOK05cmOIdyafklel5yEjzqeUXp+3SDADQp7F+HwAAAA=="

    private func response(_ codings: String, limit: Int) async throws -> HTTPResponse {
        let body = try #require(Data(base64Encoded: Self.coded))
        let fields = try HTTPFields(["Content-Encoding": codings])
        return try await LoopbackServer { $0.response(fields: fields, body: body) }.stopping { server in
            let options = RequestOptions(maximumResponseBytes: limit)
            return try await CurlTransport().send(HTTPRequest(.get, server.url(of: "/"), options: options))
        }
    }

    @Test func `a body with several codings is decoded, and its decoded size is limited`() async throws {
        let response = try await response("br, gzip", limit: 840)
        #expect(response.body.count == 840 && response.body.starts(with: Data("The jack".utf8)))
        #expect(response.head.decodedContentCodings == "br, gzip")
        #expect(response.fields[.contentEncoding] == nil)
        let error = await transportError { _ = try await self.response("br, gzip", limit: 839) }
        #expect(error?.code == .responseTooLarge)
    }

    /// 840 bytes or 100,000 zeros, and a wrong checksum or block after them.
    private static let broken = [
        ("gzip", "H4sIAAAAAAACAwvJSFXISkzOVsgsVihILEnOSE3RUwgZFRwVHBUkRRAAcvYrd0gDAAA=", 840),
        // A block of one repeated byte, and a reserved one.
        ("zstd", "KLUv/QA4QhoAAAYAAA==", 840),
        ("zstd", "KLUv/QA4AjUMAAYAAA==", 100_000),
    ]

    @Test(arguments: broken)
    func `the reader gets what precedes invalid data, and then the error`(
        coding: String, body: String, count: Int
    ) async throws {
        let coded = try #require(Data(base64Encoded: body))
        try await LoopbackServer {
            $0.response(fields: try HTTPFields(["Content-Encoding": coding]), body: coded)
        }.stopping { server in
            let response = try await CurlTransport().stream(HTTPRequest(.get, server.url(of: "/")))
            var received = 0
            let error = await transportError {
                for try await chunk in response.body { received += chunk.count }
            }
            #expect(received == count && error?.code == .undecodableContent)
        }
    }

    @Test func `a body with an unknown coding among several stays as it is`() async throws {
        let response = try await response("x-patch, gzip", limit: 840)
        #expect(response.body.base64EncodedString() == Self.coded)
        #expect(response.head.decodedContentCodings == nil)
        #expect(response.fields[.contentEncoding] == "x-patch, gzip")
    }
}
