import Foundation
import HTTPMessages

extension SDMHttpRequest {
    /// Removes the cached responses that a response makes invalid, from the caches of the session and of the request.
    func invalidateCaches(by head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) {
        let urls = head.invalidatedURLs(by: request)
        guard !urls.isEmpty else { return }
        var caches: [any DownloadCaching] = [session.downloadCache]
        for cache in [session.defaultCache, self.downloadCache] {
            if let cache, !caches.contains(where: { $0 === cache }) { caches.append(cache) }
        }
        for cache in caches { for url in urls { cache.removeCachedData(for: url) } }
    }
}

extension HTTPResponseHead {
    /// The URLs whose cached responses this response to a write makes invalid (RFC 9111, section 4.4): that of the
    /// request, and those of the same origin in `Location` and `Content-Location`.
    func invalidatedURLs(by request: HTTPMessages.HTTPRequest) -> [URL] {
        guard !request.method.isSafe, (200..<400).contains(status.code) else { return [] }
        let base = URLReference(request.url.absoluteString[...])
        let others = fields.filter { ["location", "content-location"].contains($0.name.canonicalName) }
            .compactMap { URL(string: URLReference($0.value[...]).resolved(against: base).text) }
        return [request.url] + others.filter { Origin($0) == request.origin }
    }
}
