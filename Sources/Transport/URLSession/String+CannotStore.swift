import Foundation

extension String {
    /// The error message of a failed write to a temporary file.
    /// - Parameter subject: the content of the file, as the start of a sentence.
    static func cannotStore(_ subject: String, because error: any Error) -> String {
        let isFull = [POSIXErrorCode.ENOSPC, .EDQUOT].contains((error as? POSIXError)?.code)
        return "\(isFull ? "Disk full" : "Temporary file cannot be written"): \(subject) could not be stored. "
            + (isFull ? "Free space, or set" : "Set") + " `URLSessionTransport.Configuration.temporaryDirectory`."
    }
}
