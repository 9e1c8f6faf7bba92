/// Tags whose form in exiftool's output depends on their value.
///
/// exiftool prints a string that looks like a number as a number, a list with one element as that element, and a
/// missing date as zeros. Names exclude the group, so `IFD0:Artist` and `XMP-dc:Artist` are treated alike. The names
/// follow exiftool's tables (EXIF, IPTC ApplicationRecord, XMP dc, photoshop, xmpRights, iptcCore, lr).
enum ExifToolTags {
    /// Tags that are text by their standard, whatever their value looks like.
    private static let texts: Set<String> = [
        // EXIF
        "ImageDescription", "Make", "Model", "Software", "Artist", "Copyright", "HostComputer", "DocumentName",
        "PageName", "UserComment", "ImageUniqueID", "OwnerName", "CameraOwnerName", "SerialNumber", "BodySerialNumber",
        "InternalSerialNumber", "LensMake", "LensModel", "LensSerialNumber", "Lens", "LensID", "LensInfo", "LensType",
        "UniqueCameraModel", "LocalizedCameraModel", "CameraSerialNumber", "ReelName", "XPTitle", "XPComment",
        "XPAuthor", "XPKeywords", "XPSubject", "ImageHistory", "SpectralSensitivity", "RelatedSoundFile",
        "GPSMapDatum", "GPSAreaInformation", "GPSProcessingMethod", "ExifVersion", "FlashpixVersion",
        "InteropVersion", "FirmwareVersion", "Firmware", "CanonFirmwareVersion", "ProcessingSoftware",
        // IPTC and the corresponding XMP tags
        "ObjectName", "Headline", "Caption-Abstract", "Writer-Editor", "By-line", "By-lineTitle", "Credit", "Source",
        "CopyrightNotice", "Contact", "City", "Sub-location", "Province-State", "State", "Country",
        "Country-PrimaryLocationCode", "Country-PrimaryLocationName", "CountryCode", "Location",
        "OriginalTransmissionReference", "TransmissionReference", "SpecialInstructions", "Instructions", "Category",
        "SupplementalCategories", "Keywords", "EditStatus", "FixtureIdentifier", "JobID", "OriginatingProgram",
        "ProgramVersion", "ReleaseTime", "AuthorsPosition", "CaptionWriter", "Title", "Description", "Subject",
        "Creator", "Contributor", "Publisher", "Rights", "Relation", "Type", "Language", "Coverage", "Identifier",
        "UsageTerms", "WebStatement", "Owner", "Label", "Nickname", "HierarchicalSubject", "TagsList", "CatalogSets",
        "LastKeywordXMP", "LastKeywordIPTC", "PersonInImage", "PersonInImageName", "OrganisationInImageName",
        "OrganisationInImageCode", "Event", "Scene", "SubjectCode", "IntellectualGenre", "CreatorTool", "DocumentID",
        "InstanceID", "OriginalDocumentID", "PreservedFileName", "RawFileName", "Comment", "Warning", "Error",
        "ProfileDescription", "ProfileCopyright", "DeviceModel", "DeviceManufacturer", "RegionName",
        "RegionPersonDisplayName",
        // The file itself
        "SourceFile", "FileName", "Directory", "ExifToolVersion",
    ]

    /// Tags that are lists by their standard, even with one element.
    private static let lists: Set<String> = [
        "Keywords", "SupplementalCategories", "Subject", "Creator", "Contributor", "Publisher", "Relation", "Language",
        "Type", "By-line", "By-lineTitle", "Contact", "Writer-Editor", "HierarchicalSubject", "TagsList", "CatalogSets",
        "WeightedFlatSubject", "Scene", "SubjectCode", "SubjectReference", "PersonInImage", "OrganisationInImageName",
        "OrganisationInImageCode", "Event", "LastKeywordXMP", "LastKeywordIPTC", "TextLayers", "Ingredients",
        "DocumentAncestors", "XPKeywords", "Owner", "AlternateTitle",
    ]

    /// Tags with a fraction or a unit if exiftool runs without `-n`.
    private static let measures: Set<String> = [
        "ExposureTime", "ShutterSpeed", "ShutterSpeedValue", "FocalLength", "FocalLengthIn35mmFormat",
        "FocalLength35efl", "SubjectDistance", "GPSAltitude",
    ]

    /// The name without its group.
    static func name(of tag: String) -> Substring {
        tag.lastIndex(of: ":").map { tag[tag.index(after: $0)...] } ?? tag[...]
    }

    /// Whether a tag is text, whatever its value looks like.
    static func isText(_ tag: String) -> Bool { texts.contains(String(name(of: tag))) }

    /// Whether a tag is a list, even with one element.
    ///
    /// `XMP-xmpRights:Owner` and `XMP-dc:Type` are lists, `MakerNotes:Owner` and `File:Type` are not.
    static func isList(_ tag: String) -> Bool {
        let name = String(name(of: tag))
        guard lists.contains(name) else { return false }
        guard ["Owner", "Type", "Language", "Creator", "Contact", "Event", "Subject"].contains(name) else {
            return true
        }
        return !tag.contains(":")
            ? name == "Subject" || name == "Creator" : tag.hasPrefix("XMP") || tag.hasPrefix("IPTC")
    }

    /// Whether a tag is a date.
    static func isDate(_ tag: String) -> Bool {
        let name = name(of: tag)
        guard !isText(tag) else { return false }
        return name.contains("Date") || name.hasSuffix("Time") && !name.contains("Exposure")
            || name.hasSuffix("DateTime")
    }

    /// Whether a tag is a duration or a distance.
    static func isMeasure(_ tag: String) -> Bool { measures.contains(String(name(of: tag))) }

    /// Whether a tag is a latitude or longitude in degrees.
    static func isCoordinate(_ tag: String) -> Bool {
        ["GPSLatitude", "GPSLongitude", "GPSDestLatitude", "GPSDestLongitude"].contains(String(name(of: tag)))
    }

    /// The tags that may contain the time zone of a date, most likely first.
    static func zones(of tag: String) -> [String] {
        switch name(of: tag) {
        case "DateTimeOriginal", "SubSecDateTimeOriginal": ["OffsetTimeOriginal", "OffsetTime"]
        case "CreateDate", "DateTimeDigitized", "SubSecCreateDate": ["OffsetTimeDigitized", "OffsetTime"]
        case "ModifyDate", "DateTime", "SubSecModifyDate": ["OffsetTime"]
        default: []
        }
    }
}
