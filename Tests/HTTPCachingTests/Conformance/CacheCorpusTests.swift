import Foundation
import HTTPCaching
import TestSupport
import Testing

/// The cases of https://github.com/http-tests/cache-tests, over the manual clock.
@Suite(.enabled(if: Corpora.canUnpack("http-cache.tar.xz"), "the http-cache corpus, tar or xz is not here"))
struct CacheCorpusTests {
    @Test(.needsSlot) func `agrees with the suite`() async throws {
        let data = try #require(try await Corpora.unpack("http-cache.tar.xz")["tests.json"])
        let cases = try CacheCase.all(data)
        #expect(cases.count == 370)
        for test in cases where !test.isForCDNs {
            let rules = CacheRules { $0.isShared = test.name.lowercased().contains("shared") }
            let result = await CacheCaseRunner.run(test, rules: rules)
            if result != .passed { print("CASE", test.kind, test.id, result) }
        }
    }
}
