import Foundation
import HTTPCaching
import LocalStore
import PatchbayTestKit
import SQLiteStore
import TestSupport
import Testing

/// The cases of https://github.com/http-tests/cache-tests, over the manual clock.
///
/// Those of shared caches run with shared rules, all others with the default ones. 24 cases are for content delivery
/// networks only. A `required` or `optimal` case that does not pass is in ``CacheCaseTable/deviations``, a `check` case
/// in ``CacheCaseTable/checks``, each with its reason.
@Suite(.enabled(if: Corpora.canUnpack("http-cache.tar.xz"), "the http-cache corpus, tar or xz is not here"))
struct CacheCorpusTests {
    enum Storage: String, CaseIterable { case memory, memoryStore, sqlite }

    @Test(.needsSlot, arguments: Storage.allCases) func `agrees with the suite`(storage: Storage) async throws {
        var passed: [CacheCase.Kind: Int] = [:]
        var (checks, deviations): ([String: Bool], Set<String>) = ([:], [])
        for test in try await cases() where !test.isForCDNs {
            let rules = CacheRules { $0.isShared = test.name.lowercased().contains("shared") }
            let result = await CacheCaseRunner.run(test, rules: rules) { clock in
                switch storage {
                case .memory: HTTPCache(rules: rules, clock: clock)
                case .memoryStore: HTTPCache(in: MemoryStore(), rules: rules, clock: clock)
                case .sqlite:
                    HTTPCache(
                        in: try SQLiteStore(.memory), rules: rules,
                        clock: clock)
                }
            }
            if result == .passed { passed[test.kind, default: 0] += 1 }
            if test.kind == .check {
                checks[test.id] = result == .passed
            } else if result != .passed {
                deviations.insert(test.id)
            }
        }
        #expect(passed[.required] == 151)
        #expect(passed[.optimal] == 93)
        #expect(deviations == Set(CacheCaseTable.deviations.keys))
        #expect(checks == CacheCaseTable.checks.mapValues(\.passes))
        #expect(CacheCaseTable.checks.count == 93)
    }

    @Test(.needsSlot) func `with cookies that are stored all required cases pass`() async throws {
        var count = 0
        for test in try await cases() where !test.isForCDNs && test.kind == .required {
            let rules = CacheRules {
                $0.isShared = test.name.lowercased().contains("shared")
                $0.storesSetCookie = true
            }
            let result = await CacheCaseRunner.run(test, rules: rules)
            #expect(result == .passed, "\(test.id)")
            count += 1
        }
        #expect(count == 153)
    }

    /// The 300 cases that browsers run, of which Chrome passes 117 of 137 required and 57 of 77 optimal ones.
    @Test(.needsSlot) func `the cases for browsers`() async throws {
        var passed: [CacheCase.Kind: Int] = [:]
        for test in try await cases() where !test.isForCDNs && !test.skipsBrowsers {
            if await CacheCaseRunner.run(test, rules: CacheRules { $0.storesSetCookie = true }) == .passed {
                passed[test.kind, default: 0] += 1
            }
        }
        #expect(passed[.required] == 137)
        #expect(passed[.optimal] == 71)
    }

    private func cases() async throws -> [CacheCase] {
        let data = try #require(try await Corpora.unpack("http-cache.tar.xz")["tests.json"])
        let cases = try CacheCase.all(data)
        #expect(cases.count == 370)
        return cases
    }
}
