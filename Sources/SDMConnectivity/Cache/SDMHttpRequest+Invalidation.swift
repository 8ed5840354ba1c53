import Foundation
import HTTPCaching
import HTTPMessages
import Synchronization

extension SDMHttpRequest {
    /// Removes the cached responses that a response makes invalid, from the caches of the session and of the request.
    func invalidateCaches(by head: HTTPResponseHead, of request: HTTPMessages.HTTPRequest) {
        let urls = CacheRules.invalidatedURLs(by: head, to: request)
        guard !urls.isEmpty else { return }
        session.removals.withLock { removals in
            for key in urls.compactMap(\.normalizedCacheKey) { removals.remove(key) }
        }
        var caches: [any DownloadCaching] = [session.downloadCache]
        for cache in [session.defaultCache, self.downloadCache] {
            if let cache, !caches.contains(where: { $0 === cache }) { caches.append(cache) }
        }
        for cache in caches { for url in urls { cache.removeCachedData(for: url) } }
    }
}
