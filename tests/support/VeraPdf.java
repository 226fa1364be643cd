/*
 * veraPDF as a judge: reads paths, one a line, and answers one line for each.
 *
 * It says `ready` first. Answer: `claims TAB profiles TAB failure TAB …` or `error TAB text`. The profiles are those that
 * the document's metadata claims, with spaces between them; a failure is `profile clause-test message`.
 *
 * Run it as a single file with the jar on the class path. The jar has the profiles but not JAXB to
 * read them with, so they are read here.
 */
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.xml.parsers.DocumentBuilderFactory;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;
import org.verapdf.pdfa.validation.profiles.ErrorArgument;
import org.verapdf.pdfa.validation.profiles.ErrorArgumentImpl;
import org.verapdf.pdfa.validation.profiles.Profiles;
import org.verapdf.pdfa.validation.profiles.Rule;
import org.verapdf.pdfa.validation.profiles.ValidationProfile;
import org.verapdf.pdfa.validation.profiles.Variable;
import org.verapdf.pdfa.validation.validators.ValidatorFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

class VeraPdf {
    private static final Map<String, ValidationProfile> PROFILES = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        VeraGreenfieldFoundryProvider.initialise();
        var questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        answers.println("ready");
        String line;
        while ((line = questions.readLine()) != null) {
            String answer;
            try {
                answer = judge(new File(line));
            } catch (Exception | LinkageError error) {
                answer = "error\t" + plain(error.toString());
            }
            answers.println(answer);
        }
    }

    private static String judge(File file) throws Exception {
        Set<String> claims = new TreeSet<>();
        Set<String> failures = new TreeSet<>();
        List<PDFAFlavour> flavours;
        try (PDFAParser parser = Foundries.defaultInstance().createParser(file, PDFAFlavour.NO_FLAVOUR)) {
            flavours = new ArrayList<>(parser.getFlavours());
        }
        flavours.remove(PDFAFlavour.NO_FLAVOUR);
        for (PDFAFlavour flavour : flavours) {
            String id = flavour.getId();
            claims.add(id);
            try (PDFAParser parser = Foundries.defaultInstance().createParser(file, flavour)) {
                PDFAValidator validator =
                    ValidatorFactory.createValidator(profile(flavour), 100_000, false, false, false);
                ValidationResult result = validator.validateAll(parser).get(0);
                for (TestAssertion assertion : result.getTestAssertions()) {
                    if (assertion.getStatus() == TestAssertion.Status.FAILED) {
                        var rule = assertion.getRuleId();
                        failures.add(id + " " + rule.getClause() + "-" + rule.getTestNumber() + " "
                            + plain(assertion.getMessage()));
                    }
                }
            }
        }
        failures.add("");
        return "claims\t" + String.join(" ", claims) + String.join("\t", failures);
    }

    private static ValidationProfile profile(PDFAFlavour flavour) throws Exception {
        if (!PROFILES.containsKey(flavour.getId())) {
            String id = flavour.getId().toUpperCase();
            String name = switch (id) {
                case "UA1" -> "PDFUA-1";
                case "UA2" -> "PDFUA-2-ISO32005";
                case "WT1A" -> "WTPDF-1-0-Accessibility";
                case "WT1R" -> "WTPDF-1-0-Reuse";
                default -> "PDFA-" + id;
            };
            PROFILES.put(flavour.getId(), read(flavour, "/org/verapdf/pdfa/validation/" + name + ".xml"));
        }
        return PROFILES.get(flavour.getId());
    }

    private static ValidationProfile read(PDFAFlavour flavour, String resource) throws Exception {
        Element root;
        try (InputStream stream = Profiles.class.getResourceAsStream(resource)) {
            root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(stream).getDocumentElement();
        }
        Set<Rule> rules = new HashSet<>();
        for (Element rule : children(child(root, "rules"), "rule")) {
            Element id = child(rule, "id");
            Element error = child(rule, "error");
            List<ErrorArgument> arguments = new ArrayList<>();
            for (Element argument : children(child(error, "arguments"), "argument")) {
                arguments.add(ErrorArgumentImpl.fromValues(argument.getTextContent(), null, null));
            }
            rules.add(Profiles.ruleFromValues(
                Profiles.ruleIdFromValues(
                    PDFAFlavour.Specification.valueOf(id.getAttribute("specification")),
                    id.getAttribute("clause"),
                    Integer.parseInt(id.getAttribute("testNumber"))),
                rule.getAttribute("object"),
                rule.hasAttribute("deferred") ? Boolean.valueOf(rule.getAttribute("deferred")) : null,
                rule.getAttribute("tags"),
                text(rule, "description"),
                text(rule, "test"),
                Profiles.errorFromValues(text(error, "message"), arguments),
                Collections.emptyList()));
        }
        Set<Variable> variables = new HashSet<>();
        Element list = child(root, "variables");
        for (Element variable : list == null ? List.<Element>of() : children(list, "variable")) {
            variables.add(Profiles.variableFromValues(
                variable.getAttribute("name"),
                variable.getAttribute("object"),
                text(variable, "defaultValue"),
                text(variable, "value")));
        }
        var details = Profiles.profileDetailsFromValues(resource, resource, "veraPDF", new Date(0));
        return Profiles.profileFromValues(flavour, details, "", rules, variables);
    }

    private static String text(Element parent, String name) {
        return child(parent, name).getTextContent();
    }

    private static Element child(Element parent, String name) {
        List<Element> found = children(parent, name);
        return found.isEmpty() ? null : found.get(0);
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        NodeList nodes = parent.getChildNodes();
        for (int index = 0; index < nodes.getLength(); index++) {
            Node node = nodes.item(index);
            if (node instanceof Element && node.getNodeName().equals(name)) {
                found.add((Element) node);
            }
        }
        return found;
    }

    private static String plain(String text) {
        return text == null ? "" : text.replaceAll("\\s+", " ");
    }
}
