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
            if let head = (error as? TransportError)?.head { await invalidate(head, since: 0) }
            throw error
        }
        var status = CacheStatus()
        status.forward = .method
        // A response that is also one to GET, unless another removal came meanwhile.
        if let ticket = await invalidate(response.head, since: start ?? 0), let lookup, start != nil,
            let template = Storability(rules: cache.rules).storable(
                response.head, to: request, requestTime: requestTime, responseTime: cache.now())
        {
            let storing = ResponseStoring(
                cache: cache, lookup: lookup, ticket: ticket, head: response.head, template: template,
                partial: nil, outdated: nil)
            let (kept, stored) = await response.storing(with: storing, observer: nil) { _ in }
            response = kept
            status.isStored = Response.isStreamed || stored != nil
        }
        return await finish(response, status)
    }

    /// Removes what a response to an unsafe method makes invalid.
    /// - Returns: the ticket of the response, as ``CacheStorage/removeAll(urls:since:)``; nil without a removal too.
    @discardableResult
    private func invalidate(_ head: HTTPResponseHead, since ticket: Int64) async -> Int64? {
        let urls = Set(
            head.invalidatedURLs(by: request).compactMap { try? HTTPRequest(.get, $0).url.cacheKey })
        guard !urls.isEmpty else { return nil }
        do { return try await cache.storage.removeAll(urls: urls, since: ticket) } catch {
            for url in urls { cache.unremoved.add(url) }
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
