/// Bars in SVG. The policy of the pages forbids styles in elements, so lengths are attributes.
enum BarChart {
    /// A bar that fills a part of its width, from 0 to 1.
    static func bar(_ fraction: Double) -> Markup {
        Markup { page in
            page.element(
                "svg", .class("bar"), .fixed("viewBox", "0 0 100 4"), .fixed("preserveAspectRatio", "none"),
                .fixed("aria-hidden", "true")
            ) {
                $0.element(
                    "rect", .number("width", fraction.isFinite ? 100 * min(max(fraction, 0.01), 1) : 1),
                    .fixed("height", "4")
                ) { _ in }
            }
        }
    }
}
