public import Logging
public import Monitoring

extension LogOutput {
    /// A logger of swift-log. The ID of the call is metadata too, as `call`.
    ///
    /// ```swift
    /// let monitor = EventMonitor([.log(.headers, to: .logger(Logger(label: "http")))])
    /// ```
    public static func logger(_ logger: Logger) -> LogOutput {
        LogOutput { line in
            logger.log(level: line.severity.level, "\(line.text)", metadata: ["call": "\(line.call)"])
        }
    }
}

extension LogLine.Severity {
    fileprivate var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .error: .error
        }
    }
}
