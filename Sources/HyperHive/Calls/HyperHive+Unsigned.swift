import Authentication
import Coordination
public import Foundation
public import HTTPMessages
public import Transport

// Calls that are sent later, such as by an outbox, which stores no token.

extension HyperHive {
    /// Makes the request of a call, to be sent later over ``signingTransport(for:)``.
    ///
    /// It has a transaction ID, so that the server does not run it twice: `options.transactionID`, or a new one. The
    /// field `X-HyperHive-Project`, which is not sent, keeps it from another environment, project or application, and
    /// from another path of the host.
    ///
    /// ```swift
    /// let outbox = try Outbox(in: store, over: hive.signingTransport(for: "north"), user: "north")
    /// try outbox.add(hive.unsignedRequest("ORDER", body: body), key: order.id, as: "order")
    /// ```
    /// - Throws: ``HyperHiveError``: `configuration`, `invalidArgument`; errors of the wire.
    public func unsignedRequest(
        _ resource: String, body: Data, options: HyperHiveCallOptions = HyperHiveCallOptions()
    ) throws(HyperHiveError) -> HTTPRequest {
        var options = options
        options.transactionID = options.transactionID ?? UUID().uuidString
        let log = CallLog("web")
        log.echo { $0.resource = resource }
        let call = try Call(self, log, options, as: session.snapshot)
        do {
            var request = try wire.resourceRequest(
                ResourceRequest(
                    resource, body: body, transactionID: options.transactionID, headers: options.headers,
                    query: options.query), token: nil, call.configuration)
            // A field, since an outbox stores no options.
            try request.fields.set(projectFieldName, to: call.configuration.projectField())
            return request
        } catch {
            throw log.error(error)
        }
    }

    /// Sends requests with the client's token of that moment, as `Authorization: Bearer`, while a user is signed in.
    ///
    /// While another user is, or none, and for an ``unsignedRequest(_:body:options:)`` of another host, environment,
    /// project or application than the client has, it throws an `AuthenticationError`, so that an outbox keeps the
    /// request. Timeouts and the limit of the response that are as by default are those of the client.
    /// - Parameter login: that of the sign-in.
    public func signingTransport(for login: String) -> some Transport {
        SigningTransport(client: self, login: login)
    }
}

/// The field that says where a request that is sent later belongs.
private let projectFieldName = "X-HyperHive-Project"

/// Adds the token of a client.
///
/// Without one, and after the server has refused it, it throws an `AuthenticationError`, so that an outbox waits for
/// the next sign-in.
private struct SigningTransport: Transport {
    let client: HyperHive
    let login: String

    func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        let session = client.session.snapshot
        guard let configuration = session.value.configuration, let token = session.value.token else {
            throw AuthenticationError(.noCredential, "Client is not signed in; sign in first.", request: request)
        }
        guard session.user == login else {
            throw AuthenticationError(
                .noCredential, "Another user is signed in than that of the request; sign that one in.",
                request: request)
        }
        // The token is for the client's server only.
        guard try HTTPRequest(.get, HostURL(configuration.host).text).origin == request.origin else {
            throw AuthenticationError(
                .noCredential, "Request is for another server than that of the client; configure the client for it.",
                request: request)
        }
        // Only the token says which environment and project a request is for.
        if let project = request.fields[projectFieldName], try project != configuration.projectField() {
            throw AuthenticationError(
                .noCredential,
                "Request is for another environment, project, application or path of the host than the client has; "
                    + "configure the client for it.", request: request)
        }
        var signed = request
        signed.fields[projectFieldName] = nil
        try signed.fields.set(.authorization, to: "Bearer \(token)")
        let settings = session.value.options
        signed.options.timeouts = request.options.timeouts.filled(by: settings.timeouts)
        if request.options.maximumResponseBytes == RequestOptions().maximumResponseBytes {
            signed.options.maximumResponseBytes = settings.maximumResponseBytes
        }
        let response = try await client.stack.send(signed, observer: observer)
        if response.status == .unauthorized, response.head.stayed(at: request.origin) {
            client.session.keep(from: session) { $0.token = nil }
            throw AuthenticationError(
                .signInRequired, "Server has refused the token; sign in again.", request: request, head: response.head)
        }
        return response
    }
}

extension HyperHiveConfiguration {
    /// Environment, project, application, and the path of the host.
    fileprivate func projectField() throws(HTTPMessageError) -> String {
        let names = [environment, project, application].map { $0.percentEncoded(except: .unreserved) }
        return try names.joined(separator: "/") + URL(httpString: HostURL(host).text).path()
    }
}
