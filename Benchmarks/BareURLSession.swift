import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The baseline: a data task with a completion handler on one session, as one would write it by hand.
struct BareURLSession: Sendable {
    private let session: URLSession

    /// - Parameter connections: as many as the subject may use.
    init(connections: Int) {
        // What the subject does without, the baseline does without too.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration)
    }

    /// - Parameter fields: those that the subject sends.
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
