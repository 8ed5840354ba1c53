import Foundation
import HTTPMessages
import Testing
import Transport

@testable import Queueing

@Suite struct CircuitTableTests {
    private func fail(_ table: inout CircuitTable, _ host: String, times: Int, at second: Int) throws {
        let origin = Origin(try URL(httpString: "http://\(host)/"))
        for _ in 0..<times {
            guard case .permit(let permit) = table.admit(origin, now: .seconds(second)) else { return }
            table.callEnded(origin, permit, .failure, now: .seconds(second))
        }
    }

    @Test func `each origin has its own circuit`() throws {
        var table = CircuitTable(CircuitPolicy(threshold: .failures(2, within: .seconds(10))))
        try fail(&table, "h", times: 2, at: 0)
        let urls = ["http://h:80/x", "https://h/", "http://h:8080/", "http://i/"].map { try? URL(httpString: $0) }
        let refused = urls.compactMap(\.self).map { url in
            table.admit(Origin(url), now: .zero) == .reject(retryAfter: .seconds(30))
        }
        #expect(refused == [true, false, false, false])
    }

    /// Calls enough other origins to evict all circuits that may be.
    private func crowd(_ table: inout CircuitTable, at second: Int) throws {
        for number in 0..<200 {
            let origin = Origin(try URL(httpString: "http://crowd\(number)/"))
            guard case .permit(let permit) = table.admit(origin, now: .seconds(second)) else {
                throw CancellationError()
            }
            table.callEnded(origin, permit, .unknown, now: .seconds(second))
        }
    }

    @Test func `a half-open circuit stays after its trial was cancelled`() throws {
        var table = CircuitTable(
            CircuitPolicy(threshold: .failures(2, within: .seconds(10)), openDuration: .seconds(30)))
        let down = Origin(try URL(httpString: "http://down/"))
        try fail(&table, "down", times: 2, at: 0)
        guard case .permit(let trial) = table.admit(down, now: .seconds(30)) else { throw CancellationError() }
        table.callEnded(down, trial, .unknown, now: .seconds(31))
        try crowd(&table, at: 31)
        guard case .permit = table.admit(down, now: .seconds(32)) else { throw CancellationError() }
        // Half-open: one call at a time.
        #expect(table.admit(down, now: .seconds(32)) == .reject(retryAfter: nil))
        // Long after its last permit it is evicted.
        try crowd(&table, at: 62)
        for _ in 0..<2 {
            guard case .permit = table.admit(down, now: .seconds(62)) else { throw CancellationError() }
        }
    }

    @Test(arguments: [(0.5, false), (0, true)])
    func `successes count against later failures with a ratio`(ratio: Double, opens: Bool) throws {
        var table = CircuitTable(CircuitPolicy(threshold: .ratio(ratio, failures: 3, within: .seconds(10))))
        let busy = Origin(try URL(httpString: "http://busy/"))
        for _ in 0..<20 {
            guard case .permit(let permit) = table.admit(busy, now: .zero) else { throw CancellationError() }
            table.callEnded(busy, permit, .success, now: .zero)
        }
        try crowd(&table, at: 1)
        try fail(&table, "busy", times: 3, at: 1)
        guard case .permit = table.admit(busy, now: .seconds(1)) else { return #expect(opens) }
        #expect(!opens)
        // The successes have left the window.
        try crowd(&table, at: 20)
        try fail(&table, "busy", times: 3, at: 20)
        #expect(table.admit(busy, now: .seconds(20)) == .reject(retryAfter: .seconds(30)))
    }

    @Test func `a call of an evicted circuit does not count in a later period of a new one`() throws {
        var table = CircuitTable(
            CircuitPolicy(threshold: .failures(1, within: .seconds(10)), openDuration: .seconds(30)))
        let origin = Origin(try URL(httpString: "http://down/"))
        /// Opens the circuit and closes it again 30 seconds later.
        func cycle(at second: Int) throws {
            try fail(&table, "down", times: 1, at: second)
            #expect(table.admit(origin, now: .seconds(second)) == .reject(retryAfter: .seconds(30)))
            guard case .permit(let trial) = table.admit(origin, now: .seconds(second + 30)) else {
                throw CancellationError()
            }
            table.callEnded(origin, trial, .success, now: .seconds(second + 30))
        }
        try cycle(at: 0)
        guard case .permit(let late) = table.admit(origin, now: .seconds(30)) else { throw CancellationError() }
        try crowd(&table, at: 31)
        try cycle(at: 32)
        table.callEnded(origin, late, .failure, now: .seconds(62))
        guard case .permit = table.admit(origin, now: .seconds(62)) else { throw CancellationError() }
    }

    @Test func `a call in flight still counts after its closed circuit was evicted`() throws {
        var table = CircuitTable(CircuitPolicy(threshold: .failures(1, within: .seconds(10))))
        let origin = Origin(try URL(httpString: "http://slow/"))
        guard case .permit(let slow) = table.admit(origin, now: .zero) else { throw CancellationError() }
        try crowd(&table, at: 20)
        table.callEnded(origin, slow, .failure, now: .seconds(20))
        #expect(table.admit(origin, now: .seconds(20)) == .reject(retryAfter: .seconds(30)))
    }

    @Test func `evicts circuits without failures`() throws {
        var table = CircuitTable(CircuitPolicy(threshold: .failures(2, within: .seconds(10))))
        try fail(&table, "down", times: 2, at: 999)
        for number in 0..<5000 {
            let origin = Origin(try URL(httpString: "http://h\(number)/"))
            guard case .permit(let permit) = table.admit(origin, now: .seconds(1000)) else { throw CancellationError() }
            table.callEnded(origin, permit, .success, now: .seconds(1000))
        }
        #expect(table.count <= 130)
        let down = Origin(try URL(httpString: "http://down/"))
        #expect(table.admit(down, now: .seconds(1000)) == .reject(retryAfter: .seconds(29)))
    }
}
