import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A body of one byte.
    private final class Once: HTTPBodyReader {
        private var rest: Data? = Data([0x78])
        func read(atMost count: Int) -> Data? { rest.take() }
    }

    /// A case in which a stalled request hits one timeout, not early. One that needs streaming is streamed.
    private static func hits(
        _ phase: Timeouts.Phase, _ name: String, needs: Set<ConformanceSubject.Capability> = [.faults], _ fault: Fault,
        body: @escaping @Sendable () -> HTTPBody = { .text("x") },
        _ timeouts: @escaping @Sendable (Duration) -> Timeouts
    ) -> ConformanceCase {
        ConformanceCase(name, needs: needs) { subject in
            try await subject.servingWithDeadline(.text, fault: { number, _ in number == 0 ? fault : nil }) {
                rig, limit in
                let start = ContinuousClock.now
                let request = try rig.request(.post, body: body(), timeouts: timeouts(limit))
                let events = EventRecorder()
                let call = Task {
                    guard needs.contains(.streaming) else {
                        return try await rig.transport.send(request, observer: events)
                    }
                    return try await rig.streaming.stream(request, observer: events).collect()
                }
                // Time passes only after the server has the request, else the fault would hit the next one.
                if rig.clock != nil { try await rig.requests(count: 1) }
                // And only after the sent bytes have arrived, which extend the idle timeout.
                if subject.capabilities.isSuperset(of: [.socket, .clock]), case .stall(.inBody) = fault {
                    try await events.wait { $0.contains { if case .receivedBytes = $0 { true } else { false } } }
                }
                let error = try await expectError(.timedOut) { try await rig.withTimePassing { try await call.value } }
                if rig.requests.isEmpty { throw EarlyDeadline() }
                let elapsed = rig.clock?.now.offset ?? (ContinuousClock.now - start)
                try expect(error.phase, is: phase, "the phase")
                try expect(elapsed >= limit, "it ended after \(elapsed), before its timeout of \(limit)")
                try await expect(rig.send().status, is: .ok, "the status of the next request")
            }
        }
    }

    /// Deadlines.
    static let deadlines: [ConformanceCase] = [
        hits(.response, "a missing head hits the response timeout", .stall(.beforeHead)) {
            Timeouts(response: $0, idle: nil)
        },
        hits(.response, "half a head hits the response timeout", .stall(.inHead)) {
            Timeouts(response: $0, idle: nil)
        },
        hits(
            .response, "the wait for the response to a sent body is not sending", needs: [.faults, .socket, .clock],
            .stall(.beforeHead)
        ) { Timeouts(response: $0, idle: nil, send: $0 / 4) },
        hits(
            .response, "the wait for the response to a sent body of unknown length is not sending",
            needs: [.faults, .socket, .clock], .stall(.beforeHead),
            body: { .generated { Once() } }
        ) { Timeouts(response: $0, idle: nil, send: $0 / 4) },
        hits(.idle, "half a body hits the idle timeout", .stall(.inBody)) {
            Timeouts(response: nil, idle: $0)
        },
        hits(.total, "a missing head hits the total timeout", .stall(.beforeHead)) {
            Timeouts(response: nil, idle: nil, total: $0)
        },
        hits(
            .total, "a missing head of a stream hits the total timeout", needs: [.faults, .streaming],
            .stall(.beforeHead)
        ) { Timeouts(response: nil, idle: nil, total: $0) },
        hits(.total, "half a body hits the total timeout", .stall(.inBody)) {
            Timeouts(response: nil, idle: nil, total: $0)
        },
        ConformanceCase("received bytes extend the idle timeout", needs: [.faults]) { subject in
            // The whole response takes longer than the timeout, but no pause does.
            guard subject.capabilities.isSuperset(of: [.socket, .clock]) else {
                return try await subject.servingWithDeadline(.text, fault: { .drip(size: 1, every: $1 / 5) }) {
                    rig, limit in
                    let response = try await rig.withTimePassing {
                        do {
                            return try await rig.send(timeouts: Timeouts(response: nil, idle: limit))
                        } catch let error as TransportError where error.code == .timedOut && rig.clock == nil {
                            throw EarlyDeadline()
                        }
                    }
                    try expect(response.body, is: Data("0123456789".utf8))
                }
            }
            let gates = (0..<5).map { _ in Gate() }
            let pieces: [ServerScript.Step] = gates.indices.flatMap { [.wait(for: gates[$0]), .send("\($0)")] }
            let script = ServerScript(
                [.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n")] + pieces)
            try await subject.serving(script: { _ in script }, movesClock: true) { rig in
                let events = EventRecorder()
                let request = try rig.request(timeouts: Timeouts(response: nil, idle: .seconds(30)))
                // In a group, so that a call that fails ends the wait for its events.
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        try await expect(
                            rig.transport.send(request, observer: events).body, is: Data("01234".utf8))
                    }
                    group.addTask {
                        for (index, gate) in gates.enumerated() {
                            gate.open()
                            try await events.wait { $0.contains(.receivedBytes(Int64(index + 1), total: 5)) }
                            if index < 4 { await rig.clock?.advance(by: .seconds(20)) }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        },
        ConformanceCase("received bytes do not extend the total timeout", needs: [.faults]) { subject in
            let service = ClosureService { $0.response(body: .sample(10_000)) }
            let fault = Fault.drip(size: 1, every: .milliseconds(20))
            // Over a socket the bytes take real time.
            let movesClock = !subject.capabilities.contains(.socket)
            try await subject.serving(service, faults: { _ in fault }, movesClock: movesClock) { rig in
                let start = ContinuousClock.now
                let error = try await expectError(.timedOut) {
                    let timeouts = Timeouts(response: nil, idle: nil, total: .milliseconds(200))
                    return try await rig.withTimePassing { try await rig.send(timeouts: timeouts) }
                }
                let elapsed = rig.clock?.now.offset ?? (ContinuousClock.now - start)
                try expect(error.phase, is: .total, "the phase")
                try expect(elapsed >= .milliseconds(200), "it ended after \(elapsed), before its timeout")
            }
        },
        ConformanceCase("deadlines that are kept end nothing") { subject in
            let timeouts = Timeouts(response: .seconds(3600), idle: .seconds(3600), total: .seconds(3600))
            try await subject.serving(.echo) { rig in
                for _ in 0..<5 {
                    let body = Data.sample(100_000)
                    try await expect(rig.send(.post, body: .bytes(body), timeouts: timeouts).body, is: body)
                }
            }
        },
        ConformanceCase("timeouts of a century, and no timeouts, are accepted") { subject in
            try await subject.serving(.text) { rig in
                for timeout in [Duration.century, nil] {
                    let timeouts = Timeouts(response: timeout, idle: timeout, total: timeout)
                    try await expect(rig.send(timeouts: timeouts).status, is: .ok, "the status")
                }
            }
        },
    ]
}
