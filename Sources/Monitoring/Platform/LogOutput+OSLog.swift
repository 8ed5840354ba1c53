#if canImport(os)
    public import os

    extension LogOutput {
        /// The unified log of the system, as subsystem `patchbay`.
        public static let osLog = osLog(Logger(subsystem: "patchbay", category: "calls"))

        /// The unified log of the system. The lines are public there: they have no secrets.
        public static func osLog(_ logger: Logger) -> LogOutput {
            LogOutput { line in
                switch line.severity {
                case .debug: logger.debug("\(line.text, privacy: .public)")
                case .info: logger.info("\(line.text, privacy: .public)")
                case .notice: logger.notice("\(line.text, privacy: .public)")
                case .error: logger.error("\(line.text, privacy: .public)")
                }
            }
        }
    }
#endif
