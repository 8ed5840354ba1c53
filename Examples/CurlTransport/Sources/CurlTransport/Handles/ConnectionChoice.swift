import HTTPMessages
import Transport

/// The connections that a transfer may use.
enum ConnectionChoice {
    /// An idle one, or a new one.
    case any
    /// As ``any``, but waits for one in the making, which may turn out to be HTTP/2.
    case awaitsMultiplexing
    /// A new one, which no other transfer uses.
    case own

    init(for call: Call, _ httpVersion: CurlTransport.NetworkOptions.HTTPVersion, _ library: CurlVersion) {
        let hasPriorKnowledge = httpVersion == .http2PriorKnowledge || call.request.options.httpVersion == .http2
        let isBroken = hasPriorKnowledge && !call.target.isSecure && library.breaksPriorKnowledge
        // Without the callback before a request, libcurl could send it a second time after a dead connection.
        // Before libcurl 7.88, a request for HTTP/1.1 could get an idle connection of HTTP/2.
        let needsVersion = call.request.options.httpVersion == .http1 && httpVersion != .http1
        if isBroken || (needsVersion && !library.separatesVersions) || call.isConnecting
            || call.request.options.usesNewConnection
            || (!library.hasRequestCallback && !call.request.method.isIdempotent)
        {
            self = .own
        } else {
            self = call.target.isSecure && httpVersion != .http1 ? .awaitsMultiplexing : .any
        }
    }
}
