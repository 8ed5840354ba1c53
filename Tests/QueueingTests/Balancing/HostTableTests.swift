import HTTPMessages
import Testing

@testable import Queueing

@Suite struct HostTableTests {
    private func table(_ order: HostList.Order = .inOrder) throws -> HostTable {
        HostTable(try HostList("http://a", "http://b", "http://c", order: order))
    }

    @Test func `in order the first host gets each call`() throws {
        var table = try table()
        for _ in 0..<3 { expect(table.next([0, 1, 2], tried: [], now: .zero) == 0) }
        expect(table.next([0, 1, 2], tried: [0], now: .zero) == 1)
        expect(table.next([0, 1, 2], tried: [0, 1, 2], now: .zero) == nil)
        expect(table.next([2], tried: [], now: .zero) == 2)
    }

    @Test func `round robin takes turns, and moving on takes none`() throws {
        var table = try table(.roundRobin)
        var hosts: [Int?] = []
        for _ in 0..<4 { hosts.append(table.next([0, 1, 2], tried: [], now: .zero)) }
        #expect(hosts == [0, 1, 2, 0])
        expect(table.next([0, 1, 2], tried: [0], now: .zero) == 1)
        expect(table.next([0, 1, 2], tried: [], now: .zero) == 1)
    }

    @Test func `a host that failed rests, longer with each failure, and not after a success`() throws {
        var table = try table()
        var now = Duration.zero
        for rest in [1, 2, 4, 8, 16, 32, 60, 60] {
            table.ended(0, .failure(retryAfter: nil), started: now, now: now)
            #expect(table.rest(of: 0, now: now) == .seconds(rest))
            expect(table.next([0, 1, 2], tried: [], now: now) == 1)
            now += .seconds(rest)
            expect(table.next([0, 1, 2], tried: [], now: now) == 0)
        }
        table.ended(0, .success, started: now, now: now)
        table.ended(0, .failure(retryAfter: .seconds(10)), started: now, now: now)
        #expect(table.rest(of: 0, now: now) == .seconds(10))
        table.ended(1, .failure(retryAfter: .seconds(1000)), started: now, now: now)
        #expect(table.rest(of: 1, now: now) == .seconds(60))
    }

    @Test func `attempts from before the last change do not count`() throws {
        var table = try table()
        for _ in 0..<10 { table.ended(0, .failure(retryAfter: nil), started: .zero, now: .seconds(1)) }
        #expect(table.rest(of: 0, now: .seconds(1)) == .seconds(1))
        table.ended(0, .success, started: .zero, now: .seconds(1))
        #expect(table.rest(of: 0, now: .seconds(1)) == .seconds(1))
        table.ended(0, .unknown, started: .seconds(1), now: .seconds(1))
        #expect(table.rest(of: 0, now: .seconds(1)) == .seconds(1))
    }

    @Test func `if all rest, the one whose rest ends first gets the first attempt`() throws {
        var table = try table()
        for (host, rest) in [(0, 9), (1, 5), (2, 7)] {
            table.ended(host, .failure(retryAfter: .seconds(rest)), started: .zero, now: .zero)
        }
        expect(table.next([0, 1, 2], tried: [], now: .zero) == 1)
        expect(table.next([0, 1, 2], tried: [1], now: .zero) == nil)
    }
}
