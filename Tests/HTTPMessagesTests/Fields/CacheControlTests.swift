import HTTPMessages
import PatchbayTestKit
import Testing

@Suite struct CacheControlTests {
    @Test func `reads directives`() throws {
        let fields = try HTTPFields([
            "Cache-Control": "Private=\"set-cookie, x\", max-age=60, s-maxage = 10 ,, must-revalidate",
            "cache-control": "stale-while-revalidate=\"30\", stale-if-error=86400, immutable, ext=\"a, no-store\"",
        ])
        let control = CacheControl(fields)
        #expect(control.isPrivate && control.mustRevalidate && control.isImmutable)
        #expect(!control.noStore && !control.noCache && !control.contains("a"))
        #expect(control.maxAge == .seconds(60) && control.sharedMaxAge == .seconds(10))
        #expect(control.staleWhileRevalidate == .seconds(30) && control.staleIfError == .seconds(86_400))
        #expect(control["EXT"] == "a, no-store" && control["private"] == "set-cookie, x" && control["immutable"] == nil)
        #expect(
            control.description == """
                private="set-cookie, x", max-age=60, s-maxage=10, must-revalidate, stale-while-revalidate=30, \
                stale-if-error=86400, immutable, ext="a, no-store"
                """)
        #expect(CacheControl(parsing: control.description) == control)
    }

    @Test(arguments: [
        ("max-age=0", 0), ("max-age=2147483648", 2_147_483_648), ("max-age=\"60\"", 60), ("max-age=060", 60),
        ("MAX-AGE=5, max-age=6", 5), ("max-age=-1", 0), ("max-age=1.5", 0), ("max-age=", 0), ("max-age", 0),
        ("max-age=x", 0),
        ("max-age=99999999999999999999", 3_153_600_000), ("max-age=9223372036854775807", 3_153_600_000),
        ("max-age =7", 7), ("no-store", nil), ("", nil), ("x-max-age=5", nil), ("x=\"max-age=5", nil),
        ("a b max-age=5", nil),
    ])
    func `a malformed age is stale`(text: String, seconds: Int?) {
        #expect(CacheControl(parsing: text).maxAge == seconds.map { .seconds($0) })
    }

    @Test func `arbitrary text does not trap`() {
        let pieces = ["max-age", "=", ",", "\"", "\\", " ", "60", "99999999999999999999", "no-store", "ä", ";", "\0"]
        for seed in 0..<5000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let text = (0..<10).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let control = CacheControl(parsing: text)
            #expect(CacheControl(parsing: control.description).maxAge == control.maxAge, "seed \(seed)")
        }
    }
}
