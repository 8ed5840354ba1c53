import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A call that stalls runs into one deadline, not before its time.
    private static func runs(
        into phase: Timeouts.Phase, _ name: String, _ fault: Fault,
        _ timeouts: @escaping @Sendable (Duration) -> Timeouts
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.faults]) { subject in
            try await subject.servingWithDeadline(.text, fault: { number, _ in number == 0 ? fault : nil }) {
                rig, limit in
                let start = ContinuousClock.now
                let request = try rig.request(.post, body: .text("x"), timeouts: timeouts(limit))
                let events = EventRecorder()
                let call = Task { try await rig.transport.send(request, observer: events) }
                // Time passes only once the server has it, else the fault would meet the next one.
                if rig.clock != nil { try await rig.requests(count: 1) }
                // And only once what the server sends is here, which would move the deadline.
                if subject.abilities.isSuperset(of: [.socket, .clock]), case .stall(.inBody) = fault {
                    try await events.wait { $0.contains { if case .received = $0 { true } else { false } } }
                }
                let error = try await expectError(.timedOut) { try await rig.passingTime { try await call.value } }
                if rig.requests.isEmpty { throw EarlyDeadline() }
                let elapsed = rig.clock?.now.offset ?? (ContinuousClock.now - start)
                try expect(error.phase, is: phase, "the phase")
                try expect(elapsed >= limit, "it ended after \(elapsed), before its deadline of \(limit)")
                try await expect(rig.send().status, is: .ok, "what is next")
            }
        }
    }

    /// Deadlines.
    static let deadlines: [ConformanceCase] = [
        runs(into: .response, "no answer runs into the deadline for the response", .stall(.beforeHead)) {
            Timeouts(response: $0, idle: nil)
        },
        runs(into: .response, "half a head runs into the deadline for the response", .stall(.inHead)) {
            Timeouts(response: $0, idle: nil)
        },
        runs(into: .idle, "half a body runs into the deadline for a pause", .stall(.inBody)) {
            Timeouts(response: nil, idle: $0)
        },
        runs(into: .total, "no answer runs into the deadline for the whole request", .stall(.beforeHead)) {
            Timeouts(response: nil, idle: nil, total: $0)
        },
        runs(into: .total, "half a body runs into the deadline for the whole request", .stall(.inBody)) {
            Timeouts(response: nil, idle: nil, total: $0)
        },
        ConformanceCase("bytes move the deadline for a pause", needs: [.faults]) { subject in
            // Altogether it takes longer than the deadline, and no pause does.
            guard subject.abilities.isSuperset(of: [.socket, .clock]) else {
                return try await subject.servingWithDeadline(.text, fault: { .drip(size: 1, every: $1 / 5) }) {
                    rig, limit in
                    let response = try await rig.passingTime {
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
            let pieces: [FaultPlan.Step] = gates.indices.flatMap { [.wait(for: gates[$0]), .send("\($0)")] }
            let plan = FaultPlan([.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")] + pieces)
            try await subject.serving(plan: { _ in plan }, movesClock: true) { rig in
                let events = EventRecorder()
                let request = try rig.request(timeouts: Timeouts(response: nil, idle: .seconds(30)))
                let call = Task { try await rig.transport.send(request, observer: events) }
                for (index, gate) in gates.enumerated() {
                    gate.open()
                    try await events.wait { $0.contains(.received(Int64(index + 1), of: 5)) }
                    if index < 4 { await rig.clock?.advance(by: .seconds(20)) }
                }
                try await expect(call.value.body, is: Data("01234".utf8))
            }
        },
        ConformanceCase("bytes do not move the deadline for the whole request", needs: [.faults]) { subject in
            let service = ClosureService { $0.reply(body: .sample(10_000)) }
            let fault = Fault.drip(size: 1, every: .milliseconds(20))
            // Over a socket the bytes take real time.
            let movesClock = !subject.abilities.contains(.socket)
            try await subject.serving(service, faults: { _ in fault }, movesClock: movesClock) { rig in
                let start = ContinuousClock.now
                let error = try await expectError(.timedOut) {
                    let timeouts = Timeouts(response: nil, idle: nil, total: .milliseconds(200))
                    return try await rig.passingTime { try await rig.send(timeouts: timeouts) }
                }
                let elapsed = rig.clock?.now.offset ?? (ContinuousClock.now - start)
                try expect(error.phase, is: .total, "the phase")
                try expect(elapsed >= .milliseconds(200), "it ended after \(elapsed), before its deadline")
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
        ConformanceCase("the longest deadlines are kept, and none is one") { subject in
            let century = Duration.seconds(100 * 365 * 86_400)
            try await subject.serving(.text) { rig in
                for timeout in [century, nil] {
                    let timeouts = Timeouts(response: timeout, idle: timeout, total: timeout)
                    try await expect(rig.send(timeouts: timeouts).status, is: .ok, "the status")
                }
            }
        },
    ]
}
