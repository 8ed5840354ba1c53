import Foundation
import HTTPCaching
import HTTPMessages
import PatchbayTestKit
import SQLiteStore
import Testing
import Transport

@Suite struct CacheRangeTests {
    /// A server of ten bytes that knows ranges.
    private static func origin(tag: String? = "\"a\"") -> TestOrigin {
        TestOrigin { request, _ in
            let text = "0123456789"
            var fields = [("Cache-Control", "max-age=60")]
            if let tag { fields.append(("ETag", tag)) }
            guard let field = request.fields[.range].flatMap({ RangeField(parsing: $0) }),
                request.fields[.ifRange].map({ $0 == tag }) ?? true
            else { return .test(request, fields + [("Content-Length", "10")], text) }
            guard let range = field.parts[0].range(inLength: 10) else {
                return .test(request, status: 416, fields + [("Content-Range", "bytes */10")])
            }
            let part = Array(text)[Int(range.lowerBound)..<Int(range.upperBound)]
            fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/10"))
            return .test(request, status: 206, fields, String(part))
        }
    }

    private let clock = ManualClock()

    private func caches() async throws -> [HTTPCache] {
        [HTTPCache(clock: clock), try await HTTPCache(in: try SQLiteStore(.memory), clock: clock).opened()]
    }

    private func part(_ range: String, _ fields: [(String, String)] = []) throws -> HTTPRequest {
        var request = try HTTPRequest.test(.get, "/a", ["Range": "bytes=\(range)"])
        for (name, value) in fields { try request.fields.append(name, value) }
        return request
    }

    @Test func `a range of a stored body is answered from it`() async throws {
        for cache in try await caches() {
            let origin = Self.origin()
            let transport = origin.transport.caching(in: cache)
            _ = try await transport.send(.test())
            for (range, text, content) in [
                ("2-4", "234", "bytes 2-4/10"), ("8-", "89", "bytes 8-9/10"), ("-1", "9", "bytes 9-9/10"),
                ("5-99", "56789", "bytes 5-9/10"),
            ] {
                let response = try await transport.send(part(range))
                #expect((response.status.code, response.text) == (206, text))
                #expect(response.fields[.contentRange] == content)
                #expect(response.fields[.contentLength] == "\(text.count)")
            }
            #expect(origin.count == 1)
            #expect(try await transport.send(part("2-4", [("If-Range", "\"a\"")])).text == "234")
            #expect(try await transport.send(part("2-4", [("If-Range", "\"b\"")])).text == "0123456789")
            // The server knows what to do with what is not there.
            #expect(try await transport.send(part("20-30")).status.code == 416)
            #expect(try await transport.send(.test()).text == "0123456789")
            #expect(origin.count == 2)
        }
    }

    @Test func `parts with one strong validator are joined, and completed`() async throws {
        for cache in try await caches() {
            let origin = Self.origin()
            let transport = origin.transport.caching(in: cache)
            #expect(try await transport.send(part("0-2")).text == "012")
            #expect(try await transport.send(part("6-7")).text == "67")
            #expect(try await transport.send(part("1-2")).cache == "Patchbay; hit; ttl=60")
            #expect(try await transport.send(part("6-7")).cache == "Patchbay; hit; ttl=60")
            #expect(try await transport.send(part("2-6")).cache.hasPrefix("Patchbay; fwd=partial"))
            #expect(try await transport.send(part("0-7")).text == "01234567")
            #expect(origin.count == 3)
            let whole = try await transport.send(.test())
            #expect((whole.status, whole.text) == (.ok, "0123456789"))
            #expect(whole.fields[.contentRange] == nil)
            #expect(origin.requests.last?.fields[.range] == "bytes=8-")
            #expect(origin.requests.last?.fields[.ifRange] == "\"a\"")
            #expect(try await transport.send(.test()).cache == "Patchbay; hit; ttl=60")
            #expect(origin.count == 4)
        }
    }

    @Test func `a part of stored bytes, and joined parts, have no digest of other bytes`() async throws {
        let origin = TestOrigin { request, _ in
            // The digest of these bytes, and the entity tag of the resource.
            let fields = [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]
            let parts = ["bytes=0-1": ("bytes 0-1/4", "ab"), "bytes=2-": ("bytes 2-3/4", "cd")]
            guard let (range, text) = request.fields[.range].flatMap({ parts[$0] }) else {
                return .test(request, fields + [("Content-Digest", "sha-256=:abcd:")], "abcd")
            }
            return .test(
                request, status: 206, fields + [("Content-Range", range), ("Content-Digest", "sha-256=:\(text)==:")],
                text)
        }
        for cache in try await caches() {
            let transport = origin.transport.caching(in: cache)
            #expect(try await transport.send(part("0-1")).fields["Content-Digest"] == "sha-256=:ab==:")
            let whole = try await transport.send(.test())
            #expect(whole.text == "abcd" && whole.cache.hasPrefix("Patchbay; fwd=partial"))
            #expect(whole.fields["Content-Digest"] == nil)
            #expect(try await transport.send(.test()).fields["Content-Digest"] == nil)
            // Another URL, of which the whole is stored.
            let digest = try await transport.send(.test(.get, "/b")).fields["Content-Digest"]
            #expect(digest == "sha-256=:abcd:")
            #expect(try await transport.send(.test(.get, "/b")).fields["Content-Digest"] == digest)
            let slice = try await transport.send(.test(.get, "/b", ["Range": "bytes=1-2"]))
            #expect(slice.text == "bc" && slice.head.cacheStatus?.isHit == true)
            #expect(slice.fields["Content-Digest"] == nil)
        }
    }

    @Test func `a body that the engine has decoded is stored without the digest of the bytes that were sent`()
        async throws
    {
        let origin = TestOrigin { request, _ in
            let fields = [("Cache-Control", "max-age=60"), ("Content-Digest", "sha-256=:abcd:")]
            var response = HTTPResponse.test(request, fields, "abcd")
            response.head.decodedContentCodings = "gzip"
            return response
        }
        for cache in try await caches() {
            let transport = origin.transport.caching(in: cache)
            #expect(try await transport.send(.test()).fields["Content-Digest"] == "sha-256=:abcd:")
            let stored = try await transport.send(.test())
            #expect(stored.text == "abcd" && stored.head.cacheStatus?.isHit == true)
            #expect(stored.fields["Content-Digest"] == nil)
        }
    }

    @Test(arguments: [nil, "W/\"a\""]) func `parts without a strong validator are not joined`(tag: String?) async throws
    {
        let origin = Self.origin(tag: tag)
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(part("0-4"))
        #expect(try await transport.send(part("3-4")).head.cacheStatus?.isHit == true)
        #expect(try await transport.send(.test()).text == "0123456789")
        #expect(origin.requests.last?.fields[.range] == nil)
    }

    @Test func `a rest of another representation is replaced by the whole`() async throws {
        let origin = TestOrigin { request, number in
            let fields = [("Cache-Control", "max-age=60"), ("ETag", "\"\(number)\"")]
            return request.fields.contains(.range) && number == 1
                ? .test(request, status: 206, fields + [("Content-Range", "bytes 0-1/4")], "ab")
                : .test(request, fields, "wxyz")
        }
        let transport = origin.transport.caching(in: HTTPCache(clock: clock))
        _ = try await transport.send(part("0-1"))
        #expect(try await transport.send(.test()).text == "wxyz")
        #expect(try await transport.send(.test()).cache == "Patchbay; hit; ttl=60")
        #expect(origin.count == 2)
    }

    @Test func `a part that does not fit its Content-Range is not stored`() async throws {
        for content in [
            "bytes 0-5/10", "bytes 0-2", "bytes 3-1/10", "lines 0-2/10", "bytes */10",
            "bytes 9223372036854775805-9223372036854775807/*",
        ] {
            let origin = TestOrigin { request, _ in
                .test(request, status: 206, [("Cache-Control", "max-age=60"), ("Content-Range", content)], "012")
            }
            let transport = origin.transport.caching(in: HTTPCache(clock: clock))
            for _ in 0..<2 { #expect(try await transport.send(part("0-2")).text == "012") }
            #expect(origin.count == 2, "\(content)")
        }
    }
}
