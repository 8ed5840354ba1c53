import Foundation
import HTTPMessages
import Transport

extension Fault {
    /// Answers as a transport that talks to a server with this fault.
    /// - Throws: `TransportError`, or `CancellationError` while it waits.
    func answer(
        _ request: HTTPRequest, by service: some HTTPService, clock: some Clock<Duration>
    ) async throws -> HTTPResponse {
        let timeline = Timeline(clock)
        let response = replacesAnswer ? request.reply() : await service.answer(request)
        let ending = ending(of: response, for: request)
        guard let delay = ending.delay else {
            try await Gate().wait()
            return response
        }
        if delay > .zero { try await timeline.sleep(until: delay) }
        return try ending.result.get()
    }
}

extension ScriptedTransport.Step {
    /// The answer of a service, with a fault or, with nil, without one.
    /// - Parameter clock: measures what takes time: latency, pauses, and the deadlines that a fault runs into.
    public static func service(
        _ service: some HTTPService, with fault: Fault?, clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        guard let fault else { return .service(service) }
        return Self { try await fault.answer($0, by: service, clock: clock) }
    }
}

extension FaultPlan.Step {
    /// Answers the way a server does, with a fault or, with nil, without one.
    /// - Parameter clock: measures latency and pauses.
    public static func answer(
        by service: some HTTPService, with fault: Fault?, clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        guard let fault else { return .answer(by: service) }
        return Self { connection, received in
            try await fault.steps(for: connection, received, service, clock).perform(on: connection, for: received)
        }
    }
}

extension Fault {
    /// What a server does that has this fault.
    fileprivate func steps(
        for connection: RawConnection, _ received: RecordedRequest, _ service: some HTTPService,
        _ clock: any Clock<Duration>
    ) async throws -> FaultPlan {
        switch self {
        case .status(let status):
            return [.answer(by: ClosureService { $0.reply(status) })]
        case .latency(let duration):
            try await clock.sleep(for: duration)
            return [.answer(by: service)]
        case .reset(.beforeHead): return [.reset]
        case .close(.beforeHead): return [.close]
        case .stall(.beforeHead): return [.stall]
        case .reset, .close, .stall, .drip, .overstatedLength, .understatedLength: break
        }
        guard let response = await connection.response(to: received, by: service) else { return [.close] }
        let wire = WireResponse(response)
        let isWhole = response.body.isEmpty
        let inHead: FaultPlan.Step = .send(Data(wire.head.prefix(wire.head.count / 2)))
        let inBody: FaultPlan.Step = .send(wire.head + wire.halfBody)
        return switch self {
        case .reset(.inHead): [inHead, .reset]
        case .close(.inHead): [inHead, .close]
        case .stall(.inHead): [inHead, .stall]
        case _ where isWhole: [.send(wire.head)]
        case .reset: [inBody, .reset]
        case .close: [inBody, .close]
        case .stall: [inBody, .stall]
        case .drip(let size, let pause): [.send(wire.head), .drip(wire.body, size: size, every: pause, clock: clock)]
        case .overstatedLength: [.send(WireResponse(response.stating(length: response.body.count + 1)).bytes), .close]
        default: [.send(WireResponse(response.stating(length: response.halved.body.count)).bytes), .close]
        }
    }
}
