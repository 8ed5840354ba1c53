import Coordination
import Foundation
import HTTPMessages
import Transport

extension LoopbackServer {
    /// Starts a server whose connections are as slow and as lossy as a network.
    ///
    /// Uploads cost their time after they have arrived. A lost connection is reset.
    /// - Parameters:
    ///   - port: the port to listen on; 0 picks a free one.
    ///   - clock: times the network; with a ``ManualClock`` the test controls it.
    /// - Throws: ``LoopbackError`` (`cannotListen`).
    public convenience init(
        port: Int = 0, limits: Limits = Limits(), service: some HTTPService, profile: NetworkProfile,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(LoopbackError) {
        try self.init(port: port, limits: limits) { (request: RecordedRequest) -> ServerScript in
            [.respond(with: service, over: profile, clock: clock)]
        }
    }
}

extension ServerScript.Step {
    /// Sends the response of a service over a slow and lossy network.
    /// - Parameter clock: times the network; with a ``ManualClock`` the test controls it.
    public static func respond(
        with service: some HTTPService, over profile: NetworkProfile, clock: any Clock<Duration> = ContinuousClock()
    ) -> Self {
        let clock = AnyMonotonicClock(clock)
        return Self { connection, received in
            let conditions = profile[received.number]
            func wait(_ duration: Duration) async throws {
                if duration > .zero { try await clock.sleep(until: clock.now + duration) }
            }
            try await wait(NetworkProfile.time(of: received.body.count, at: profile.upload) + conditions.latency)
            if conditions.loss == .beforeHead {
                connection.reset()
                return false
            }
            let isPlain = profile.download == nil || received.method == HTTPMethod.head.name
            if isPlain, conditions.loss == nil {
                return try await connection.respond(to: received, with: service)
            }
            guard let response = await connection.response(to: received, by: service) else { return false }
            if conditions.loss != nil, response.body.isEmpty {
                connection.reset()
                return false
            }
            let wire = WireResponse(response)
            try connection.send(wire.head)
            var rest = wire.body
            if case .inBody(let share) = conditions.loss { rest = rest.prefix(Int(Double(rest.count) * share)) }
            let size = max(1, min(64 << 10, (profile.download ?? .max) / 10))
            while !rest.isEmpty {
                let piece = Data(rest.prefix(size))
                try await wait(NetworkProfile.time(of: piece.count, at: profile.download))
                try connection.send(piece)
                rest = rest.dropFirst(size)
            }
            guard conditions.loss == nil else {
                connection.reset()
                return false
            }
            return true
        }
    }
}
