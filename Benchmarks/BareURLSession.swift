import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The baseline: a hand-written data task with a completion handler, on one session.
struct BareURLSession: Sendable {
    private let session: URLSession

    /// - Parameter connections: the limit of the subject.
    init(connections: Int) {
        // The subject has no cache and no cookies, so the baseline has none either.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration)
    }

    /// - Parameter fields: the fields of the subject.
    func get(_ url: URL, fields: [String: String] = [:]) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            var request = URLRequest(url: url)
            request.allHTTPHeaderFields = fields
            let task = session.dataTask(with: request) { data, _, error in
                if let data {
                    continuation.resume(returning: data)
                } else {
                    continuation.resume(throwing: error ?? URLError(.unknown))
                }
            }
            task.resume()
        }
    }
}
