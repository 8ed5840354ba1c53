import Foundation
import HTTPCaching
import HTTPMessages
import TestSupport
import Testing
import Transport

private let squid = ProcessInfo.processInfo.environment["PATCHBAY_SQUID"]

/// Caches before squid, which is a cache before nginx: ages, validators, variants and writes pass both.
@Suite(.needsSlot, .enabled(if: squid != nil, "PATCHBAY_SQUID is not set."))
struct SquidCacheInteropTests {
    private let network = URLSessionTransport()
    private let id = UUID().uuidString

    private func request(_ path: String, _ fields: KeyValuePairs<String, String> = [:]) throws -> HTTPRequest {
        try HTTPRequest(.get, (squid ?? "") + path, fields: HTTPFields(fields))
    }

    private func put(_ path: String, _ text: String, over transport: some Transport) async throws {
        let response = try await transport.send(HTTPRequest(.put, (squid ?? "") + path, body: .text(text)))
        #expect(response.status.isSuccessful)
    }

    @Test func `the age of a hit in squid counts`() async throws {
        let request = try request("/item?\(id)")
        #expect(!(try await network.caching().send(request)).isFromSquid)
        let transport = network.caching()
        let response = try await transport.send(request)
        #expect(response.isFromSquid)
        let age = try #require(response.fields[.age].flatMap { Int($0) })
        let rest = try #require(response.head.cacheStatus?.timeToLive)
        #expect(rest <= 3_600 - age)
        #expect(try await transport.send(request).head.cacheStatus?.isHit == true)
    }

    @Test func `a reload passes both, and both store its response`() async throws {
        let transport = network.caching()
        let request = try request("/language?\(id)")
        let first = try await transport.send(request).text
        var reload = request
        reload.options.cachePolicy = .reload
        let second = try await transport.send(reload).text
        #expect(second != first)
        let hit = try await transport.send(request)
        #expect((hit.text, hit.head.cacheStatus?.isHit) == (second, true))
        let other = try await network.caching().send(request)
        #expect((other.text, other.isFromSquid) == (second, true))
    }

    @Test func `variants`() async throws {
        let (first, second) = (network.caching(), network.caching())
        var texts: [String: String] = [:]
        for language in ["de", "en"] {
            let request = try request("/language?\(id)", ["Accept-Language": language])
            texts[language] = try await first.send(request).text
            #expect(texts[language]?.hasPrefix(language + " ") == true)
        }
        for language in ["de", "en", "de"] {
            let request = try request("/language?\(id)", ["Accept-Language": language])
            let response = try await first.send(request)
            #expect((response.text, response.head.cacheStatus?.isHit) == (texts[language], true))
            #expect(try await second.send(request).text == texts[language])
        }
    }

    @Test func `what is stale at once comes from the server each time`() async throws {
        let transport = network.caching()
        let first = try await transport.send(request("/stale?\(id)")).text
        #expect(try await transport.send(request("/stale?\(id)")).text != first)
    }

    @Test func `a compressed body is revalidated through both`() async throws {
        let transport = network.caching()
        let path = "/cached/\(id).txt"
        let text = String(repeating: "0123456789", count: 100)
        try await put(path, text, over: transport)
        #expect(try await transport.send(request(path)).text == text)
        let again = try await transport.send(request(path, ["Cache-Control": "no-cache"]))
        #expect((again.text, again.head.cacheStatus?.forwardStatus) == (text, 304))
        let part = try await transport.send(request(path, ["Range": "bytes=3-5"]))
        #expect((part.text, part.head.cacheStatus?.isHit) == ("345", true))
    }

    @Test func `parts from squid are joined`() async throws {
        let transport = network.caching()
        let path = "/cached/\(id).bin"
        try await put(path, "0123456789", over: network)
        #expect(try await transport.send(request(path, ["Range": "bytes=0-3"])).text == "0123")
        let whole = try await transport.send(request(path))
        #expect((whole.status, whole.text) == (.ok, "0123456789"))
        #expect(whole.head.cacheStatus?.forward == .partial)
    }

    @Test func `a write removes from both, and a cache beside it asks again`() async throws {
        let (writer, reader) = (network.caching(), network.caching())
        let path = "/cached/\(id).txt"
        try await put(path, "old", over: writer)
        for transport in [writer, reader] { #expect(try await transport.send(request(path)).text == "old") }
        try await put(path, "newer", over: writer)
        #expect(try await writer.send(request(path)).text == "newer")
        // It has not seen the write, and has to be told.
        #expect(try await reader.send(request(path)).text == "old")
        #expect(try await reader.send(request(path, ["Cache-Control": "no-cache"])).text == "newer")
    }
}

extension HTTPResponse {
    fileprivate var isFromSquid: Bool { fields["X-Cache"]?.hasPrefix("HIT") ?? false }
}
