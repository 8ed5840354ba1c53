import Testing

@testable import LocalStore

@Suite struct PlanCacheTests {
    private let plan = MemoryPlan(
        .definition(.dropTable("t", ifExists: true)), sql: "DROP TABLE IF EXISTS t", parameterCount: 0,
        schemaVersion: 1)

    @Test func `plans are valid for one schema version`() {
        var cache = PlanCache(.random())
        var sql = "SELECT 1"
        cache.insert(plan, for: &sql)
        #expect(cache.plan(&sql, version: 1) === plan)
        #expect(cache.plan(&sql, version: 2) == nil)
    }

    @Test func `statements are compared by bytes`() {
        var cache = PlanCache(.random())
        var (composed, decomposed) = ("SELECT '\u{E9}'", "SELECT 'e\u{301}'")
        cache.insert(plan, for: &composed)
        #expect(cache.plan(&decomposed, version: 1) == nil)
    }

    @Test func `long statements are not cached`() {
        var cache = PlanCache(.random())
        var long = "SELECT '" + String(repeating: "x", count: 16 << 10) + "'"
        cache.insert(plan, for: &long)
        #expect(cache.plan(&long, version: 1) == nil)
    }

    @Test func `recently used plans are kept`() {
        var cache = PlanCache(.random())
        var used = "SELECT 0"
        var unused = "SELECT -1"
        cache.insert(plan, for: &unused)
        cache.insert(plan, for: &used)
        for number in 1...300 {
            var sql = "SELECT \(number)"
            cache.insert(plan, for: &sql)
            #expect(cache.plan(&used, version: 1) != nil)
        }
        #expect(cache.plan(&unused, version: 1) == nil)
    }
}
