import Testing

@testable import HTTPCaching

@Suite struct UnremovedURLsTests {
    @Test func `a URL is noted until it is removed`() async throws {
        let (urls, storage) = (UnremovedURLs(), MemoryStorage(limits: .init()))
        urls.add("a")
        #expect(urls.contains("a") && !urls.contains("b"))
        try await urls.retry("b", in: storage)
        #expect(urls.contains("a"))
        try await urls.retry("a", in: storage)
        #expect(!urls.contains("a"))
    }

    @Test func `too many are all, and are removed at once`() async throws {
        let (urls, storage) = (UnremovedURLs(), MemoryStorage(limits: .init()))
        for number in 0..<10_000 { urls.add("\(number)") }
        // Again: it is noted already.
        urls.add("0")
        #expect(!urls.contains("other"))
        urls.add("10000")
        #expect(urls.contains("other"))
        try await urls.retry("other", in: storage)
        #expect(!urls.contains("other") && !urls.contains("0"))
    }
}
