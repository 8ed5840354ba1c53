import Foundation
import HTTPMessages
import Transport

extension RequestOptions {
    /// True without an option for the destination or the version of HTTP.
    var isPlain: Bool { unixSocketPath == nil && nameOverrides.isEmpty && httpVersion == nil }

    /// ``nameOverrides`` as libcurl takes them (`CURLOPT_CONNECT_TO`), each terminated by NUL.
    var connectToLines: [UInt8] {
        nameOverrides.sorted { $0.key < $1.key }.reduce(into: []) { lines, override in
            lines += "\(override.key.bracketed)::\(override.value.bracketed):".utf8
            lines.append(0)
        }
    }

    /// A text that differs for requests that must not share what is known of an origin; nil for the usual ones.
    var destination: String? {
        guard !isPlain else { return nil }
        let overrides = nameOverrides.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [unixSocketPath ?? "", overrides.joined(separator: ","), httpVersion?.rawValue ?? ""]
            .joined(separator: " ")
    }

    /// Checks the path and the addresses.
    /// - Throws: `unsupported` for what libcurl cannot connect to.
    func validateDestination(of request: HTTPRequest) throws(TransportError) {
        if let path = unixSocketPath {
            // `sun_path` has 108 bytes with its terminator.
            guard !path.isEmpty, path.utf8.count <= 107, !path.utf8.contains(0) else {
                throw TransportError(
                    .unsupported,
                    "Path of the Unix socket is empty or too long: \(path.utf8.count) bytes; use 1 to 107.",
                    request: request)
            }
        }
        for (host, address) in nameOverrides {
            for name in [host, address] where name.isEmpty || !name.utf8.allSatisfy(\.isHostByte) {
                throw TransportError(
                    .unsupported,
                    "Option `nameOverrides` has an invalid host or address: \(name.debugDescription); use a name or an "
                        + "IP address without a port.", request: request)
            }
        }
    }
}

extension String {
    /// An IPv6 address in brackets; other texts unchanged.
    fileprivate var bracketed: String { contains(":") ? "[\(self)]" : self }
}

extension UInt8 {
    /// True for the characters of host names and addresses.
    fileprivate var isHostByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F, 0x25: true
        default: false
        }
    }
}
