import HTTPMessages

/// What a response says about its connection (RFC 9112, section 9.3; RFC 2068, section 19.7.1).
struct KeepAlive: Equatable {
    /// True when the connection stays open for further requests.
    let isReusable: Bool
    /// Seconds for which the server keeps an idle connection; nil if it does not tell.
    let seconds: Double?

    /// - Parameter isWanted: `shouldAttemptPersistentConnection` of the request.
    init(_ head: HTTPResponseHead, isWanted: Bool) {
        let options = (head.fields[.connection] ?? "").split(separator: ",").map {
            String($0).trimmingHTTPWhitespace.lowercased()
        }
        var parameters: [String: Double] = [:]
        for part in (head.fields["Keep-Alive"] ?? "").split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { String($0).trimmingHTTPWhitespace }
            if pair.count == 2 { parameters[pair[0].lowercased()] = Double(pair[1]) }
        }
        // The vendor's rule: a connection for five or fewer further requests is not worth keeping.
        let isWorthwhile = parameters["max"].map { $0 > 5 } ?? true
        isReusable = isWanted && !options.contains("close") && isWorthwhile
        seconds = (parameters["max"] ?? 0) > 5 ? parameters["timeout"] : nil
    }
}
