import Foundation
import HTTPMessages

extension LogStore {
    /// Writes the calls that meet the conditions to an HTTP archive, earliest first.
    ///
    /// Bodies are what the store has of them: their start, on one line, without secrets.
    /// - Throws: `StoreError`; ``HARError`` (`unwritableFile`, `closed`).
    public func export(_ query: LogQuery = LogQuery(), to writer: HARWriter) throws {
        for call in try search(query).reversed() { try writer.append(HAREntry(call)) }
    }
}

extension HAREntry {
    /// The entry of a call in a log store.
    public init(_ call: LoggedCall) {
        let (sent, received) = (HARPair.pairs(ofLines: call.requestFields), HARPair.pairs(ofLines: call.responseFields))
        var request = HARRequest(
            method: call.method, url: call.url, headers: sent, bodySize: Int(clamping: call.sentBytes))
        request.postData = call.requestBody.map {
            HARPostData(mimeType: sent.value(of: "content-type") ?? "", text: $0)
        }
        let response: HARResponse
        if let status = call.status {
            response = HARResponse(
                status: Int(status), headers: received,
                content: HARContent(
                    size: Int(clamping: call.receivedBytes),
                    mimeType: received.value(of: "content-type") ?? "x-unknown",
                    text: call.responseBody),
                redirectURL: received.value(of: "location") ?? "")
        } else {
            response = .failure(call.error ?? "No response.")
        }
        self.init(
            startedDateTime: call.start, request: request, response: response,
            timings: .total(.seconds(call.duration)))
        if call.status != nil, let error = call.error { comment = error }
    }
}

extension HARPair {
    /// The fields of a call in a log store, one on each line.
    fileprivate static func pairs(ofLines text: String?) -> [HARPair] {
        (text ?? "").split(separator: "\n").compactMap { line in
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            return HARPair(String(line[..<colon]), String(line[line.utf8.index(after: colon)...].drop { $0 == " " }))
        }
    }
}

extension [HARPair] {
    /// The first value of a name in lower case.
    fileprivate func value(of name: String) -> String? { first { $0.name.lowercased() == name }?.value }
}
