import Coordination
import Foundation
import HTTPMessages
import Transport

extension CacheCall {
    /// Sends a request that is not answered from a cache, and removes what it makes invalid (RFC 9111, section 4.4).
    func pass<Response: CacheableResponse>(_ send: Send<Response>) async throws -> Response {
        // Without it, a response to `POST` is not stored.
        if request.method.mayRespondToGET, !cache.storage.isOpen { try? await open() }
        let requestTime = cache.now()
        let lookup = request.method.mayRespondToGET ? try? cache.lookup(for: request) : nil
        let start = lookup.flatMap { try? cache.storage.ticket(for: $0) }
        var response: Response
        do {
            response = try await send(request, observer)
        } catch {
            // The server has done its work, though the body is too large or cut off.
            if let head = (error as? TransportError)?.head {
                await invalidate(head, since: 0, atMost: Self.removalLimit)
            }
            throw error
        }
        var status = CacheStatus()
        status.forward = .method
        // A response that is also one to GET, unless another removal came meanwhile.
        let template =
            start == nil
            ? nil
            : Storability(rules: cache.rules).storable(
                response.head, to: request, requestTime: requestTime, responseTime: cache.now())
        let limit = template == nil ? Self.removalLimit : .seconds(1)
        if let ticket = await invalidate(response.head, since: start ?? 0, atMost: limit), let lookup, let template {
            let storing = ResponseStoring(
                cache: cache, lookup: lookup, ticket: ticket, head: response.head, template: template,
                partial: nil)
            let (kept, stored) = await response.storing(with: storing, observer: nil) { _ in }
            response = kept
            status.isStored = Response.isStreamed || stored != nil
        }
        return await finish(response, status)
    }

    /// The longest wait for a removal: a store may write for others, or wait for its disk, and the response is there.
    private static var removalLimit: Duration { .milliseconds(3) }

    /// Removes what a response to an unsafe method makes invalid.
    ///
    /// After the limit that goes on in the background, and nothing is found for the URLs in this process until it is
    /// done.
    /// - Returns: the ticket of the response, as ``CacheStorage/removeAll(urls:since:)``; nil without a removal too.
    @discardableResult
    private func invalidate(_ head: HTTPResponseHead, since ticket: Int64, atMost limit: Duration) async -> Int64? {
        let urls = Set(head.invalidatedURLs(by: request).compactMap(\.normalizedCacheKey))
        guard !urls.isEmpty else { return nil }
        do {
            guard cache.storage.mayWait else { return try await cache.storage.removeAll(urls: urls, since: ticket) }
            let removal = cache.unremoved.remove(urls, since: ticket, in: cache)
            let timer = cache.clock.schedule(at: cache.clock.now + limit) { removal.fulfill(.success(nil)) }
            defer { timer.cancel() }
            return try await removal.value.get()
        } catch {
            await report([.layer(cache.failed(error))])
            return nil
        }
    }

    /// Sends a request for which the cache is not asked.
    func bypass<Response: CacheableResponse>(_ send: Send<Response>) async throws -> Response {
        if CacheExchange(request, rules: cache.rules).onlyStored { return try await unavailable() }
        let response = try await send(request, observer)
        var status = CacheStatus()
        status.forward = .bypass
        return await finish(response, status)
    }
}
