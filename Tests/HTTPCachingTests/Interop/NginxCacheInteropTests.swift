import Foundation
import HTTPCaching
import HTTPMessages
import TestSupport
import Testing
import Transport

private let nginx = ProcessInfo.processInfo.environment["PATCHBAY_NGINX"]

/// A cache over a server of another kind: its validators, its ranges, its compressed bodies.
@Suite(.needsSlot, .enabled(if: nginx != nil, "PATCHBAY_NGINX is not set."))
struct NginxCacheInteropTests {
    private let transport = URLSessionTransport().caching()
    private let url = "\(nginx ?? "")/files/cache-\(UUID().uuidString).txt"

    private func get(_ fields: KeyValuePairs<String, String> = [:]) async throws -> HTTPResponse {
        try await transport.send(HTTPRequest(.get, url, fields: HTTPFields(fields)))
    }

    private func put(_ text: String) async throws -> HTTPResponse {
        try await transport.send(HTTPRequest(.put, url, body: .text(text)))
    }

    @Test func `revalidates, serves ranges and sees writes`() async throws {
        let text = String(repeating: "0123456789", count: 100)
        #expect(try await put(text).status.isSuccessful)
        #expect(try await get().text == text)
        let again = try await get(["Cache-Control": "no-cache"])
        #expect(again.text == text)
        #expect(again.head.cacheStatus?.forwardStatus == 304)
        let part = try await get(["Range": "bytes=3-5", "Cache-Control": "max-stale"])
        #expect((part.status.code, part.text, part.head.cacheStatus?.isHit) == (206, "345", true))
        let condition = try await get([
            "If-None-Match": try #require(again.fields[.etag]), "Cache-Control": "max-stale",
        ])
        #expect((condition.status, condition.head.cacheStatus?.isHit) == (.notModified, true))
        #expect(try await put("new").status.isSuccessful)
        #expect(try await get().text == "new")
    }

    @Test func `joins the parts of a file`() async throws {
        #expect(try await put("0123456789").status.isSuccessful)
        #expect(try await get(["Range": "bytes=0-3"]).text == "0123")
        #expect(try await get(["Range": "bytes=4-6"]).text == "456")
        let whole = try await get()
        #expect((whole.status, whole.text) == (.ok, "0123456789"))
        #expect(whole.head.cacheStatus?.forward == .partial)
        #expect(whole.head.cacheStatus?.forwardStatus == 206)
    }
}
