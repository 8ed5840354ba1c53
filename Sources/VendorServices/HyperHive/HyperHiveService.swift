import Coordination
import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization
import Transport

/// An emulated server of the Foresight Mobile Platform (HyperHive): sign-in, resources with versions and deltas, and
/// transactions.
///
/// All paths are below `{path}/api/{version}`, with or without a slash at the end:
///
/// | endpoint | behavior |
/// |---|---|
/// | `POST /auth/` | Basic credentials in UTF-8, `X-Device-Id`, and environment and project in JSON: 200 with a token |
/// | `GET /schema` | the resources as an object keyed by name |
/// | `POST`, `GET`, `HEAD`, `OPTIONS /rpc/{resource}/` | the tables of a resource: full, or a delta with `X-Delta` |
/// | `GET /transactions/?resource={resource}` | the stored transactions: a list of objects with `uuid` |
/// | `GET`, `DELETE /transactions/{uuid}/` | the stored response of a transaction; forgets it (204) |
/// | other paths | 404 with `{"code": 404, "description": …}`; 405 for another method |
///
/// All but the sign-in need the token as `Bearer` (401 without a challenge). The server streams tables while it
/// produces them, over a socket in chunks: start it with ``startServer(port:limits:)``. `LoopbackServer(service:)`
/// works too, but collects each body first and cannot cut it.
///
/// A cached resource has a lifetime. The server keeps versions of its content for each user, device, project and set of
/// input parameters. Version 0 is "never loaded"; a load adds 1, also when nothing has changed. An `ETag` stands for
/// one transfer, from a version to another. `If-None-Match` gets 304 as long as the content is the same. `If-Match`
/// gets the same transfer again, from a byte offset with `X-Range: bytes=N-`.
///
/// Public sources do not fix everything. This project's choices: a request for the last version loads (see
/// ``Configuration/loadsOnRequest``); 304 does not; `X-Delta: auto` without a known `ETag` in `If-None-Match` is
/// `v0-last`; the token of another device is a 403; a repeated request after a lost response is a 409, once, for
/// resources with ``Resource/refusesRepeats``; a transaction id with another resource, other parameters or another
/// `X-Delta` is a 409; only responses with status 200 are stored. Not emulated: files, version 0.6 of the API,
/// `Expires`, `Last-Modified`.
public final class HyperHiveService: HTTPService {
    /// The settings.
    public let configuration: Configuration
    private let clock: AnyMonotonicClock
    let state: Mutex<State>

    /// Creates a server without signed-in users, and with the resources of the configuration.
    /// - Parameters:
    ///   - configuration: the settings; of resources with equal names the last is used.
    ///   - clock: measures the lifetime of tokens.
    public init(_ configuration: Configuration = Configuration(), clock: some Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        self.clock = AnyMonotonicClock(clock)
        state = Mutex(State(configuration))
    }

    /// Answers one request with its body in memory.
    ///
    /// Where a fault cuts the response, it throws: without a socket this is a response with status 500.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let delivery = try await delivery(of: request)
        switch delivery.interruption {
        case .close:
            remember(lossOf: delivery)
            throw InterruptedDelivery()
        case .wait(let gate, _): try await gate.wait()
        case nil: break
        }
        let body = request.method == .head ? Data() : try await delivery.response.body.collect(upTo: 1 << 30)
        return try HTTPResponse(
            status: delivery.response.status, fields: delivery.response.headerFields(for: request), body: body,
            url: request.url)
    }

    /// The time since the service's creation.
    var now: Duration { clock.now }

    /// The response to a request, and how it is sent.
    func delivery(of request: HTTPRequest) async throws -> Delivery {
        var fault: EndpointFault?
        var delivery: Delivery
        do {
            guard let target = Target(request.url, in: configuration) else { throw Failure.notFound }
            fault = state.withLock { $0.receive(target.endpoint) }
            if case .status(let status) = fault { throw Failure(status, "Injected fault: status \(status.code)") }
            if case .expiredToken = fault { revokeToken(of: request) }
            delivery = try await perform(Exchange(request: request, body: request.body.collect()), target)
        } catch let failure as Failure {
            delivery = Delivery(response: failure.response)
        }
        if let fault { delivery.apply(fault) }
        return delivery
    }

    private func perform(_ exchange: Exchange, _ target: Target) async throws -> Delivery {
        switch target {
        case .authentication: Delivery(response: try signIn(exchange))
        case .schema: Delivery(response: try schema(exchange))
        case .resource(let name): try call(name, exchange)
        case .transactions: Delivery(response: try transactions(exchange))
        case .transaction(let id): Delivery(response: try transaction(id, exchange))
        }
    }
}

extension HyperHiveService {
    /// A request with its whole body.
    struct Exchange {
        let request: HTTPRequest
        let body: Data
    }

    /// A response that a fault cut, where there is no socket to show it.
    struct InterruptedDelivery: Error {}
}
