import Foundation
import HTTPMessages
import Testing

@testable import Signing

@Suite struct OriginClocksTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func head(_ time: Date, _ url: URL) throws -> HTTPResponseHead {
        HTTPResponseHead(
            status: .unauthorized, fields: try HTTPFields(["Date": HTTPDate(time).description]), url: url)
    }

    @Test func `a refusal sets the clock of its origin only, relative to the time of its signature`() throws {
        let clocks = OriginClocks(ServerClock { Self.now })
        let (first, second) = try (URL(httpString: "https://a.example"), URL(httpString: "https://b.example"))
        // Two calls were signed at the local time, and both are refused.
        for _ in 0..<2 {
            let difference = try #require(try clocks.difference(of: head(Self.now + 3600, first), skew: 0))
            #expect(difference == 3600 && clocks.follow(Origin(first), from: 0, by: difference))
        }
        #expect(clocks.skew(of: Origin(first)) == 3600 && clocks.skew(of: Origin(second)) == 0)
        #expect(try clocks.difference(of: head(Self.now + 3600, first), skew: 3600) == nil)
        #expect(clocks.now(skew: 3600) == Self.now + 3600)
    }

    @Test func `the app's clock is the base of each origin, also of the greatest difference`() throws {
        let clock = ServerClock { Self.now }
        clock.synchronize(with: Self.now + 500_000)
        let clocks = OriginClocks(clock)
        let origin = try Origin(URL(httpString: "https://a.example"))
        #expect(clocks.skew(of: origin) == 500_000)
        #expect(!clocks.follow(origin, from: 500_000, by: 90_001))
        #expect(clocks.follow(origin, from: 500_000, by: -90_000) && clocks.skew(of: origin) == 410_000)
        // Several refusals together do not go further than one.
        #expect(!clocks.follow(origin, from: 410_000, by: -1) && clocks.skew(of: origin) == 410_000)
    }

    @Test func `the number of origins is limited`() throws {
        let clocks = OriginClocks(ServerClock { Self.now })
        let origins = try (0..<1001).map { try Origin(URL(httpString: "https://a\($0).example")) }
        for origin in origins { #expect(clocks.follow(origin, from: 0, by: 60)) }
        #expect(clocks.skew(of: origins[0]) == 0 && clocks.skew(of: origins[1000]) == 60)
    }
}
