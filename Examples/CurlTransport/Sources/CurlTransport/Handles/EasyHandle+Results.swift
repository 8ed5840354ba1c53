import CCurl
import Foundation
import Transport

// What libcurl tells of a transfer, while it runs and after its end.

extension EasyHandle {
    /// The failure of the last transfer.
    func failure(_ code: CInt, url: URL) -> TransferFailure {
        var text = String(cString: errorText)
        if text.isEmpty { text = library.text(of: code) }
        return TransferFailure(
            code: code, text: text,
            systemError: sockets?.lastError.nonZero ?? CInt(truncatingIfNeeded: integer(.systemError)),
            isBeforeRequest: library.version.hasRequestCallback && transfer?.hasSentRequest == false, url: url)
    }

    private func integer(_ info: CurlInfo) -> Int {
        var value = 0
        return ccurl_easy_get_long(library.easyGetInfo, pointer, info.rawValue, &value) == 0 ? value : 0
    }

    private func count(_ info: CurlInfo) -> Int64 {
        var value: Int64 = 0
        return ccurl_easy_get_int64(library.easyGetInfo, pointer, info.rawValue, &value) == 0 ? value : 0
    }

    private func text(_ info: CurlInfo) -> String? {
        var value: UnsafePointer<CChar>?
        guard ccurl_easy_get_string(library.easyGetInfo, pointer, info.rawValue, &value) == 0, let value else {
            return nil
        }
        return value[0] == 0 ? nil : String(cString: value)
    }

    /// The connection of the transfer, if it was the first to use it.
    var connection: SocketTable.ID? { sockets?.connection(of: self) }

    /// The socket of the last transfer's connection; -1 if it is closed.
    var openDescriptor: CInt {
        var value: CInt = -1
        let result = withUnsafeMutablePointer(to: &value) {
            ccurl_easy_get_descriptor(library.easyGetInfo, pointer, CurlInfo.activeSocket.rawValue, $0)
        }
        return result == 0 ? value : -1
    }

    /// The number of bytes of the request body that libcurl has sent.
    var sentBytes: Int64 { count(.uploadSize) }

    /// The measurements of the last transfer.
    var metrics: TransferMetrics {
        func time(_ info: CurlInfo) -> Duration { .microseconds(count(info)) }
        let isReused = integer(.connectCount) == 0
        let secured = isReused ? Duration.zero : time(.secureTime)
        return TransferMetrics(
            httpVersion: httpVersion, isConnectionReused: isReused,
            resolved: isReused ? nil : time(.resolveTime),
            connected: isReused ? nil : time(.connectTime),
            secured: secured == .zero ? nil : secured,
            firstByte: time(.firstByteTime), total: time(.totalTime), bytesSent: count(.uploadSize),
            bytesReceived: count(.downloadSize), remoteAddress: text(.remoteAddress))
    }

    private var httpVersion: String? {
        switch integer(.httpVersion) {
        case 1: "1.0"
        case 2: "1.1"
        case 3: "2"
        case 30: "3"
        default: nil
        }
    }
}

extension CInt {
    fileprivate var nonZero: CInt? { self == 0 ? nil : self }
}
