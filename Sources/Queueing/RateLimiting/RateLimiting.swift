public import HTTPMessages
public import Transport

/// Limits how often requests are sent, and keeps to the limits that the server tells.
///
/// ```swift
/// let transport = URLSessionTransport.shared.limiting(to: .requests(10, per: .second), by: .origin)
/// ```
///
/// A request without a token waits in the ``RateLimiter``, by priority and in order. Its total timeout includes the
/// wait: a call whose turn would come later fails at once with ``AdmissionError`` (`rateLimited`), which names the
/// limit, the key, the wait and the time left. A 429 is still a response: a layer that retries decides what follows.
public struct RateLimiting<Base: Transport>: Transport {
    /// The transport that sends the requests.
    public let base: Base
    /// The limiter; several transports may share it. If one is inside another, a request takes two tokens.
    public let limiter: RateLimiter

    /// A layer over a transport.
    public init(base: Base, limiter: RateLimiter) {
        self.base = base
        self.limiter = limiter
    }

    /// Waits for a token, then sends a request.
    /// - Throws: errors of the base; ``AdmissionError`` (`rateLimited`, `tooManyWaiting`); `TransportError`
    ///   (`cancelled`).
    @inlinable
    public func send(_ request: HTTPRequest, observer: (any TransferObserver)?) async throws -> HTTPResponse {
        // Most requests need not wait, and are not copied.
        guard limiter.start(request) else {
            return try await sendStarted(limiter.wait(for: request, observer), observer)
        }
        return try await sendStarted(request, observer)
    }

    @inlinable
    func sendStarted(_ request: HTTPRequest, _ observer: (any TransferObserver)?) async throws -> HTTPResponse {
        do {
            let response = try await base.send(request, observer: observer)
            limiter.received(response.head, for: request, observer)
            return response
        } catch {
            limiter.failed(error, for: request, observer)
            throw error
        }
    }
}

extension RateLimiting: StreamingTransport where Base: StreamingTransport {
    /// Waits for a token, then sends a request and streams the body of its response.
    /// - Throws: as ``send(_:observer:)``, until the head has arrived.
    public func stream(
        _ request: HTTPRequest, observer: (any TransferObserver)?
    ) async throws -> HTTPResponseStream {
        let request = limiter.start(request) ? request : try await limiter.wait(for: request, observer)
        do {
            let response = try await base.stream(request, observer: observer)
            limiter.received(response.head, for: request, observer)
            return response
        } catch {
            limiter.failed(error, for: request, observer)
            throw error
        }
    }
}
