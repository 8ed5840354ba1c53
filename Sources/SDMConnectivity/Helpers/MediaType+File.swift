import Foundation
import HTTPMessages

extension MediaType {
    /// The media type of a file by its name's extension; `application/octet-stream` for none and for an unknown one.
    init(fileName: String) {
        let name = URL(filePath: fileName).pathExtension.lowercased()
        self = Self.types[name].flatMap { MediaType(parsing: $0) } ?? .octetStream
    }

    /// The common ones of the IANA registry; the operating system's tables differ between platforms.
    private static let types: [String: String] = {
        var types: [String: String] = [:]
        for (type, extensions) in extensions {
            for name in extensions.split(separator: " ") { types[String(name)] = type }
        }
        return types
    }()

    private static let extensions = [
        ("application/atom+xml", "atom"), ("application/gzip", "gz"), ("application/json", "json"),
        ("application/msword", "doc"), ("application/pdf", "pdf"), ("application/rtf", "rtf"),
        ("application/vnd.ms-excel", "xls"), ("application/vnd.ms-powerpoint", "ppt"),
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
        ("application/xml", "xml xsl"), ("application/zip", "zip"), ("audio/aac", "aac"), ("audio/mp4", "m4a"),
        ("audio/mpeg", "mp3"), ("audio/wav", "wav"), ("font/ttf", "ttf"), ("font/woff2", "woff2"),
        ("image/bmp", "bmp"), ("image/gif", "gif"), ("image/heic", "heic"), ("image/jpeg", "jpg jpeg jpe"),
        ("image/png", "png"), ("image/svg+xml", "svg"), ("image/tiff", "tif tiff"), ("image/webp", "webp"),
        ("message/rfc822", "eml"), ("text/calendar", "ics"), ("text/css", "css"), ("text/csv", "csv"),
        ("text/html", "html htm"), ("text/javascript", "js mjs"), ("text/markdown", "md"),
        ("text/plain", "txt text log"), ("text/vcard", "vcf"), ("video/mp4", "mp4 m4v"), ("video/mpeg", "mpeg mpg"),
        ("video/quicktime", "mov qt"),
    ]
}
