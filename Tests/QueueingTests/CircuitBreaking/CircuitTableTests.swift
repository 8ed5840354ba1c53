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
