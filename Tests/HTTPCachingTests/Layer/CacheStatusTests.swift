import Foundation
import HTTPCaching
import HTTPMessages
import Testing

@Suite struct CacheStatusTests {
    private static func made(_ change: (inout CacheStatus) -> Void) -> CacheStatus {
        var status = CacheStatus(cache: "ExampleCache")
        change(&status)
        return status
    }

    /// The examples of RFC 9211, section 3, written by this package.
    @Test(
        arguments: [
            ("ExampleCache; hit", made { $0.isHit = true }),
            ("ExampleCache; hit; ttl=376", made { ($0.isHit, $0.timeToLive) = (true, 376) }),
            ("ExampleCache; hit; ttl=-412", made { ($0.isHit, $0.timeToLive) = (true, -412) }),
            ("ExampleCache; fwd=uri-miss", made { $0.forward = .uriMiss }),
            ("ExampleCache; fwd=stale; fwd-status=304", made { ($0.forward, $0.forwardStatus) = (.stale, 304) }),
            (
                "ExampleCache; fwd=uri-miss; stored; collapsed",
                made { ($0.forward, $0.isStored, $0.isCollapsed) = (.uriMiss, true, true) }
            ),
            ("ExampleCache; fwd=bypass", made { $0.forward = .bypass }),
            (
                "\"CDN Company Here\"; hit; ttl=545",
                made { ($0.cache, $0.isHit, $0.timeToLive) = ("CDN Company Here", true, 545) }
            ),
            ("ExampleCache; fwd=miss; detail=\"a \\\"b\\\"\"", made { ($0.forward, $0.detail) = (.miss, "a \"b\"") }),
        ])
    func `examples`(text: String, status: CacheStatus) throws {
        #expect(status.description == text)
        #expect(try CacheStatus.list(in: HTTPFields([("Cache-Status", text)])) == [status])
    }

    @Test func `a chain of caches`() throws {
        let fields = try HTTPFields([
            "Cache-Status": "OriginCache; hit; ttl=1100",
            "cache-status": "\"CDN Company Here\"; fwd=uri-miss; collapsed",
        ])
        let list = try CacheStatus.list(in: fields)
        #expect(list.map(\.cache) == ["OriginCache", "CDN Company Here"])
        #expect(
            (list[0].isHit, list[0].timeToLive, list[1].forward, list[1].isCollapsed) == (true, 1_100, .uriMiss, true))
        #expect(try CacheStatus.list(in: HTTPFields()).isEmpty)
        #expect(throws: HTTPMessageError.self) { try CacheStatus.list(in: HTTPFields([("Cache-Status", "a; hit=;")])) }
        // Unknown members and values are skipped.
        let odd = try CacheStatus.list(in: HTTPFields(["Cache-Status": "A; fwd=new; ttl=\"x\"; other=1, (a b), 5"]))
        #expect(odd == [CacheStatus(cache: "A")])
    }
}
