import Foundation
import ResponseDecoding

/// Reference parser of a whole event stream over strings, independent of the tested one.
enum NaiveEventStream {
    static func events(of bytes: Data) -> [ServerSentEvent] {
        // As scalars, because CR LF is one Character.
        var text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        if text.first == "\u{FEFF}" { text.removeFirst() }
        text = text.replacing(["\r", "\n"], with: ["\n"]).replacing(["\r"], with: ["\n"])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var events: [ServerSentEvent] = []
        var (type, data, id) = ("", [String](), "")
        for line in lines.dropLast() {
            guard !line.isEmpty else {
                let event = ServerSentEvent(
                    type: type.isEmpty ? "message" : type, data: data.joined(separator: "\n"), lastEventID: id)
                if !data.isEmpty { events.append(event) }
                (type, data) = ("", [])
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var value = parts.dropFirst().first ?? []
            if value.first == " " { value.removeFirst() }
            switch string(of: parts[0]) {
            case "data": data.append(string(of: value))
            case "event": type = string(of: value)
            case "id": if !value.contains("\0") { id = string(of: value) }
            default: break
            }
        }
        return events
    }

    private static func string(of scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
