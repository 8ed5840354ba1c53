import Coordination
import Foundation
public import HTTPMessages
public import PatchbayTestKit
import Synchronization
import Transport

/// An emulated SAP mobile server (Sybase Unwired Platform, SAP Mobile Platform): application connections, and an OData
/// V2 collection behind a proxy name.
///
/// | endpoint | behavior |
/// |---|---|
/// | `POST /[public/]odata/applications/{v1,latest}/{app}/Connections` | registers: 201 with `Location` and cookies |
/// | `GET`, `PUT`, `MERGE`, `PATCH`, `DELETE …/Connections('{id}')` | reads, changes and removes the registration |
/// | `GET /[public/]{proxy}/` | the service document |
/// | `GET`, `POST /[public/]{proxy}/Flights` | the collection: `$top`, `$skip`, `$format` |
/// | `GET`, `PUT`, `MERGE`, `PATCH`, `DELETE …/Flights('{key}')` | one flight, with an `ETag` |
/// | `GET /[public/]{proxy}/Download/{bytes}` | this number of bytes, at most 64 MiB |
/// | all of them below `/ias_relay_server/client/rs_client.dll/{farm}`, `/cli/iasrelayserver/{farm}` | relay servers |
/// | other paths | 404 with an OData error; 405 for another method |
///
/// A request is checked in this order: its Basic or Digest credentials (401; not below `public`), for data the id of a
/// registration in a header or cookie (403), for writes of data the CSRF token with its cookie (403), then the rest.
/// Data and errors are JSON with `$format=json` or an `Accept` that prefers it, otherwise Atom and XML.
///
/// Public sources do not fix everything. This project's choices: a repeated nonce count and an expired nonce get a
/// challenge with `stale=true`; a client may choose its id by the header, and an existing one is a 409; properties of a
/// registration are free, except `ApplicationConnectionId` and `UserName`; a CSRF token is valid with its cookie until
/// ``expireTokens()``. Not emulated: other query options (501), metadata, backend URLs, push.
public final class SAPService: HTTPService {
    /// The settings.
    public let configuration: Configuration
    private let clock: AnyMonotonicClock
    let state: Mutex<State>

    /// Creates a server without registrations, and with the flights of the configuration.
    /// - Parameters:
    ///   - configuration: the settings.
    ///   - clock: measures the lifetime of nonces.
    public init(_ configuration: Configuration = Configuration(), clock: some Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        self.clock = AnyMonotonicClock(clock)
        state = Mutex(State(configuration))
    }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await route(request)
        } catch let failure as Failure {
            return try failure.response(to: request)
        }
    }

    /// The time since the service's creation.
    var now: Duration { clock.now }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let path = Path(request.url, in: configuration) else { throw Failure.notFound }
        switch state.withLock({ $0.receive(path.endpoint) }) {
        case .failure(let status, let code, let message):
            throw Failure(status: status, code: code, message: message)
        case .stall: try await Gate().wait()
        case nil: break
        }
        let exchange = Exchange(request: request, path: path, body: try await request.body.collect())
        guard !path.isPublic, !configuration.schemes.isEmpty else { return try respond(to: exchange, user: nil) }
        let identity = try authenticate(exchange)
        let response: HTTPResponse
        do {
            response = try respond(to: exchange, user: identity.user)
        } catch let failure as Failure {
            response = try failure.response(to: request)
        }
        return try confirming(identity, in: response, to: exchange)
    }

    private func respond(to exchange: Exchange, user: String?) throws -> HTTPResponse {
        switch exchange.path.target {
        case .connections(let app): return try register(exchange, app: app, user: user)
        case .connection(let app, let id): return try connection(exchange, ConnectionID(app: app, id: id))
        case .serviceDocument, .flights, .flight, .download: break
        }
        try requireConnection(of: exchange.request)
        if let rejection = try tokenRejection(of: exchange.request) { return rejection }
        return try addingToken(to: data(exchange), for: exchange.request)
    }
}

extension SAPService {
    /// A request with its parsed path and its whole body.
    struct Exchange {
        let request: HTTPRequest
        let path: Path
        let body: Data
    }

    /// The identity of a registration.
    struct ConnectionID: Hashable {
        let app: String
        let id: String
    }
}
