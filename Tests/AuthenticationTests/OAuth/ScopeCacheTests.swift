import Authentication
import HTTPMessages
import Testing

@Suite struct ScopeCacheTests {
    @Test func `a scope belongs to a URL with its query and a method`() throws {
        let cache = ScopeCache()
        #expect(cache.scope(of: try request()) == nil)
        cache.set("a", of: try request(.get, "https://h/x?y=1"))
        #expect(cache.scope(of: try request(.get, "https://H:443/x?y=1")) == "a")
        #expect(cache.scope(of: try request(.put, "https://h/x?y=1")) == nil)
        #expect(cache.scope(of: try request(.get, "https://h/x")) == nil)
        cache.set("b", of: try request(.get, "https://h/x?y=1"))
        #expect(cache.scope(of: try request(.get, "https://h/x?y=1")) == "b")
        cache.set(nil, of: try request(.get, "https://h/x?y=1"))
        #expect(cache.scope(of: try request(.get, "https://h/x?y=1")) == nil)
    }

    @Test func `the oldest of more than a thousand is forgotten`() throws {
        let cache = ScopeCache()
        for number in 0...1000 { cache.set("a", of: try request(.get, "https://h/\(number)")) }
        #expect(cache.scope(of: try request(.get, "https://h/0")) == nil)
        #expect(cache.scope(of: try request(.get, "https://h/1")) == "a")
        cache.removeAll()
        #expect(cache.scope(of: try request(.get, "https://h/1")) == nil)
    }
}
