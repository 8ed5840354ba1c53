import Coordination
import Foundation
import HTTPMessages
import Transport

extension Fault {
    /// Returns or throws what a transport does for a server with this fault.
    /// - Throws: `TransportError`, or `CancellationError` while it waits; for a stream a `FaultyResponse`.
    func respond(
        to request: HTTPRequest, with service: some HTTPService, clock: some Clock<Duration>
    ) async throws -> HTTPResponse {
        let clock = AnyMonotonicClock(clock)
        let response = replacesResponse ? request.response() : await service.framedResponse(to: request)
        let outcome = outcome(of: response, for: request)
        if FaultyResponse.isAccepted, let arrival = outcome.arrival {
            throw FaultyResponse { observer in
                let body = FaultyBody(
                    arrival: arrival, outcome: outcome, request: request, clock: clock, observer: observer)
                return HTTPResponseStream(head: arrival.response.head, body: body)
            }
        }
        guard let delay = outcome.delay else {
            try await Gate().wait()
            return response
        }
        if delay > .zero { try await clock.sleep(until: delay) }
        return try outcome.result.get()
    }
}

extension ScriptedTransport.Step {
    /// The response of a service under a fault; nil for no fault.
    /// - Parameter clock: times latency, pauses and timeouts.
    public static func service(
        _ service: some HTTPService, with fault: Fault?, clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        guard let fault else { return .service(service) }
        return Self { try await fault.respond(to: $0, with: service, clock: clock) }
    }
}

extension ServerScript.Step {
    /// Sends the response of a service under a fault; nil for no fault.
    /// - Parameter clock: times latency and pauses.
    public static func respond(
        with service: some HTTPService, fault: Fault?, clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        guard let fault else { return .respond(with: service) }
        return Self { connection, received in
            try await fault.steps(for: connection, received, service, clock).perform(on: connection, for: received)
        }
    }
}

extension Fault {
    /// The steps of a server with this fault.
    fileprivate func steps(
        for connection: RawConnection, _ received: RecordedRequest, _ service: some HTTPService,
        _ clock: any Clock<Duration>
    ) async throws -> ServerScript {
        switch self {
        case .status(let status):
            return [.respond(with: ClosureService { $0.response(status) })]
        case .latency(let duration):
            try await clock.sleep(for: duration)
            return [.respond(with: service)]
        case .reset(.beforeHead): return [.reset]
        case .close(.beforeHead): return [.close]
        case .stall(.beforeHead): return [.stall]
        case .reset, .close, .stall, .drip, .overstatedLength, .understatedLength: break
        }
        guard let response = await connection.response(to: received, by: service) else { return [.close] }
        let wire = WireResponse(response)
        let inHead: ServerScript.Step = .send(Data(wire.head.prefix(wire.head.count / 2)))
        let inBody: ServerScript.Step = .send(wire.head + wire.halfBody)
        return switch self {
        case .reset(.inHead): [inHead, .reset]
        case .close(.inHead): [inHead, .close]
        case .stall(.inHead): [inHead, .stall]
        case _ where response.body.isEmpty: [.respond(with: ClosureService { _ in response })]
        case .reset: [inBody, .reset]
        case .close: [inBody, .close]
        case .stall: [inBody, .stall]
        case .drip(let size, let pause): [.send(wire.head), .drip(wire.body, size: size, every: pause, clock: clock)]
        case .overstatedLength: [.send(WireResponse(response.stating(length: response.body.count + 1)).bytes), .close]
        default: [.send(WireResponse(response.stating(length: response.halved.body.count)).bytes), .close]
        }
    }
}
