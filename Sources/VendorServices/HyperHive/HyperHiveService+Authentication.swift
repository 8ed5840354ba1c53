import Foundation
import HTTPMessages
import Synchronization

extension HyperHiveService {
    static let deviceField = "X-Device-Id"

    /// The rights of a token.
    struct Session: Hashable {
        let user: String
        let device: String
        let environment: String
        let project: String
    }

    struct Token {
        let session: Session
        let expiry: Duration
    }

    func signIn(_ exchange: Exchange) throws -> Response {
        let request = exchange.request
        try request.requireMethod("POST")
        guard let (user, password) = request.basicCredentials, configuration.users[user] == password else {
            state.withLock { $0.counts.rejectedSignIns += 1 }
            throw Failure(.unauthorized, "Unknown user or wrong password")
        }
        guard let device = request.fields[Self.deviceField], !device.isEmpty else {
            throw Failure.badRequest("The field \(Self.deviceField) is missing; send the device's id")
        }
        guard let body = try? JSONValue(parsing: exchange.body), let environment = body["environment"]?.string,
            let project = body["project"]?.string
        else { throw Failure.badRequest("The body is not a JSON object with the texts environment and project") }
        guard configuration.projects.map({ $0[environment]?.contains(project) == true }) ?? true else {
            throw Failure.badRequest("Unknown environment \(environment) or project \(project)")
        }
        let session = Session(user: user, device: device, environment: environment, project: project)
        let token = configuration.makeID(), now = self.now, lifetime = configuration.tokenLifetime.capped
        state.withLock { state in
            state.tokens = state.tokens.filter { $0.value.expiry > now }
            state.tokens[token] = Token(session: session, expiry: now + lifetime)
            state.devices[device] = Device(
                user: user, environment: environment, project: project,
                signIns: (state.devices[device]?.signIns ?? 0) + 1)
            state.counts.signIns += 1
        }
        return Response(json: ["token": .string(token)])
    }

    /// The session of a request's token.
    /// - Throws: ``Failure`` (400, 401, 403).
    func session(of request: HTTPRequest) throws(Failure) -> Session {
        let token = request.credential(of: "Bearer"), now = self.now
        let session = state.withLock { state in
            let known = token.flatMap { state.tokens[$0] }
            let session = known.flatMap { $0.expiry > now ? $0.session : nil }
            if session == nil { state.counts.rejectedTokens += 1 }
            return session
        }
        guard let session else { throw Failure(.unauthorized, "Invalid token") }
        guard let device = request.fields[Self.deviceField] else {
            guard !configuration.requiresDeviceID else {
                throw .badRequest("The field \(Self.deviceField) is missing; send the device's id")
            }
            return session
        }
        guard device == session.device else { throw Failure(.forbidden, "The token belongs to another device") }
        return session
    }

    func revokeToken(of request: HTTPRequest) {
        guard let token = request.credential(of: "Bearer") else { return }
        state.withLock { $0.tokens[token] = nil }
    }
}

extension HyperHiveService {
    /// A device record, made by its first sign-in.
    public struct Device: Hashable, Sendable {
        /// The user of the last sign-in.
        public let user: String
        /// The environment of the last sign-in.
        public let environment: String
        /// The project of the last sign-in.
        public let project: String
        /// Number of successful sign-ins.
        public let signIns: Int
    }
}
