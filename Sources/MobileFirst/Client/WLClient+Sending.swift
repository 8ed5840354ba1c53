import Authentication
import Delegation
import Dispatch
import Foundation
import HTTPMessages
import RequestModel
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The path of every request of the client.

extension WLClient {
    /// Sends a request.
    /// - Returns: a response with a status 2xx.
    func perform(
        _ request: HTTPRequest, _ observer: (any TransferObserver)? = nil
    ) async throws(WLError) -> WLResponse {
        let response: HTTPResponse
        do {
            response = try await resources.send(request, observer: observer)
        } catch {
            throw failure(error, of: request)
        }
        guard response.status.isSuccessful else { throw unexpected(response, to: request) }
        return WLResponse(response)
    }

    func stream(_ request: HTTPRequest, _ observer: (any TransferObserver)?) async throws(WLError) -> HTTPResponseStream
    {
        let response: HTTPResponseStream
        do {
            response = try await resources.stream(request, observer: observer)
        } catch {
            throw failure(error, of: request)
        }
        guard response.status.isSuccessful else {
            let collected: HTTPResponse
            do {
                collected = try await response.collect()
            } catch {
                throw failure(error, of: request)
            }
            throw unexpected(collected, to: request)
        }
        return response.tracked(mapError: { WLError($0) })
    }

    func download(
        _ request: HTTPRequest, to file: URL, _ options: DownloadOptions, _ observer: (any TransferObserver)?
    ) async throws(WLError) -> DownloadedFile {
        do {
            return try await resources.download(request, to: file, options: options, observer: observer)
        } catch let error as DownloadError where error.code == .unacceptableStatus {
            guard let head = error.head else { throw WLError(error) }
            throw unexpected(HTTPResponse(head: head, body: error.bodyPrefix), to: request)
        } catch {
            throw failure(error, of: request)
        }
    }

    /// The options of a request for a resource, with the server of this time.
    func options(timeouts: Timeouts) throws -> RequestOptions {
        let (base, session) = state.serverInSession
        // Where every server gets tokens, a request needs none of its own.
        let server = configuration.sendsTokensToEveryServer ? try? base.get() : try base.get()
        var options = RequestOptions(timeouts: timeouts, maximumResponseBytes: configuration.maximumResponseBytes)
        options.conflictBudget = ConflictBudget()
        options.session = session
        options.tokenOrigins = try server.map(state.tokenOrigins) ?? .chosenByAuthorizer
        return options
    }

    /// Maps an error. After status 500 of the authorization server the learned scope is forgotten, as by the vendor.
    private func failure(_ error: any Error, of request: HTTPRequest) -> WLError {
        // A body that is too long hides no unexpected status.
        if let error = error as? TransportError, error.code == .responseTooLarge, let head = error.head,
            !head.status.isSuccessful
        {
            return unexpected(HTTPResponse(head: head, body: error.bodyPrefix), to: request)
        }
        let error = WLError(error)
        if error.response?.status == 500 { credentials.authorizer.scopes.set(nil, of: request) }
        return error.inSession(request.options.session, of: state)
    }

    /// The error for a status other than 2xx.
    private func unexpected(_ response: HTTPResponse, to request: HTTPRequest) -> WLError {
        let error = WLError(unexpected: response, to: request)
        if error.code == .authorization, credentials.isRefreshing { return .calledByHandler() }
        return error.inSession(request.options.session, of: state)
    }

    /// Starts work with exactly one completion.
    func start<Output: Sendable>(
        on delivery: Delivery? = nil, _ work: @escaping @Sendable () async throws -> Output,
        completion: @escaping (Result<Output, WLError>) -> Void
    ) -> WLCall {
        CallHandle.start(delivery: delivery ?? self.delivery, work) { completion($0.mapError { WLError($0) }) }
    }

    /// Sends a request and calls a delegate of URLSession.
    func start(
        _ request: Result<HTTPRequest, WLError>, delegate: any URLSessionDataDelegate, on queue: DispatchQueue?
    ) -> WLCall {
        let delivery = queue.map { Delivery.queue($0) } ?? delivery
        let delegation = SessionDelegation(delegate, on: delivery)
        return start(on: delivery) {
            try await self.perform(request.get())
        } completion: { result in
            delegation.deliver(try? request.get(), result)
        }
    }

    /// The server's URL.
    func serverBase() throws(WLError) -> BaseURL { try state.server() }

    /// The vendor's and the global header fields, replaced by `fields` of the same names.
    func fields(overriddenBy fields: HTTPFields) throws -> HTTPFields { try state.fields(overriddenBy: fields) }
}
