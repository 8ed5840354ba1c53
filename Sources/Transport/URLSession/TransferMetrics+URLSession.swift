import Foundation

#if canImport(Darwin)
    extension TransferMetrics {
        /// The measurements of the last request of a task; nil without one.
        init?(_ metrics: URLSessionTaskMetrics) {
            guard let last = metrics.transactionMetrics.last, let start = last.fetchStartDate else { return nil }
            func time(_ date: Date?) -> Duration? { date.map { .seconds($0.timeIntervalSince(start)) } }
            let end = last.responseEndDate ?? metrics.taskInterval.end
            self.init(
                httpVersion: Self.version(ofProtocol: last.networkProtocolName),
                isConnectionReused: last.isReusedConnection, resolved: time(last.domainLookupEndDate),
                // The end of connecting includes TLS.
                connected: time(last.secureConnectionStartDate ?? last.connectEndDate),
                secured: time(last.secureConnectionEndDate), sent: time(last.requestEndDate),
                firstByte: time(last.responseStartDate), total: .seconds(end.timeIntervalSince(start)),
                bytesSent: last.countOfRequestBodyBytesSent, bytesReceived: last.countOfResponseBodyBytesReceived,
                remoteAddress: last.remoteAddress)
        }
    }
#endif

extension TransferMetrics {
    /// The version of HTTP for the ALPN name of a protocol (RFC 7301), such as `h2`.
    static func version(ofProtocol name: String?) -> String? {
        switch name?.lowercased() {
        case "http/1.0": "1.0"
        case "http/1.1": "1.1"
        case "h2", "h2c": "2"
        case "h3": "3"
        default: nil
        }
    }
}
