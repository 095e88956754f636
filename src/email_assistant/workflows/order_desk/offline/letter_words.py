"""What a shop's reply is made of, in seven languages; `{…}` are filled in."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LetterWords:
    """Sentences of one language. Square brackets mark what a person has to fill in."""

    greeting: str
    greeting_nobody: str
    thanks: str
    ordered: str
    created: str
    partial: str
    out: str
    promotion: str
    gift: str
    alternatives: str
    at_price: str
    total: str
    nothing: str
    lower: str
    how_many: str
    which: str
    perhaps: str
    unknown: str
    unanswered: str
    failed: str
    stock: str
    no_stock: str
    price: str
    seasons: str
    catalogue: str
    closing: str
    decimal: str = ","


WORDS: Mapping[str, LetterWords] = {
    "en": LetterWords(
        greeting="Dear {name},",
        greeting_nobody="Hello,",
        thanks="Thank you for your message.",
        ordered="This is what we can do for your order:",
        created="- {fulfilled} × {name} ({id}) at {price} each: {total}",
        partial="- {name} ({id}): of the {quantity} you want we have {fulfilled}, at {price} each: {total}",
        out="- {name} ({id}): out of stock ({quantity} wanted)",
        promotion="  Offer: {words}. It takes {discount} off.",
        gift="  Included: {gift}",
        alternatives="  Instead we have: {products}",
        at_price="{name} ({id}) at {price}",
        total="Total: {total}",
        nothing="None of what you want can be had at present.",
        lower="You wrote “{text}”; we have taken {low}. Please tell us if it should be more.",
        how_many="How many {name} ({id}) do you want? You wrote “{text}”.",
        which="Which product do you mean by “{text}”?",
        perhaps="Perhaps {products}?",
        unknown="We could not find “{text}” in our range. Could you tell us its number or name?",
        unanswered="[confirm: answer to “{question}”]",
        failed="[confirm: what could not be worked out here]",
        stock="{name} ({id}): we have {stock} in stock at present.",
        no_stock="{name} ({id}) is out of stock at present.",
        price="{name} ({id}) costs {price}.",
        seasons="{name} ({id}) is meant for: {seasons}.",
        catalogue="{name} ({id}), from our catalogue: {description}",
        closing="Kind regards,",
        decimal=".",
    ),
    "de": LetterWords(
        greeting="Guten Tag {name},",
        greeting_nobody="Guten Tag,",
        thanks="vielen Dank für Ihre Nachricht.",
        ordered="Zu Ihrer Bestellung:",
        created="- {fulfilled} × {name} ({id}) zu je {price}: {total}",
        partial="- {name} ({id}): von den gewünschten {quantity} haben wir {fulfilled}, zu je {price}: {total}",
        out="- {name} ({id}): nicht auf Lager (gewünscht: {quantity})",
        promotion="  Angebot: {words}. Das sind {discount} weniger.",
        gift="  Dazu gibt es: {gift}",
        alternatives="  Stattdessen haben wir: {products}",
        at_price="{name} ({id}) zu {price}",
        total="Summe: {total}",
        nothing="Von dem, was Sie möchten, ist zurzeit nichts da.",
        lower="Sie schreiben „{text}“; wir haben {low} genommen. Bitte sagen Sie uns, wenn es mehr sein sollen.",
        how_many="Wie viele {name} ({id}) möchten Sie? Sie schreiben „{text}“.",
        which="Welches Produkt meinen Sie mit „{text}“?",
        perhaps="Vielleicht {products}?",
        unknown="„{text}“ haben wir in unserem Sortiment nicht gefunden. Nennen Sie uns bitte Nummer oder Namen?",
        unanswered="[confirm: Antwort auf „{question}“]",
        failed="[confirm: was hier nicht ermittelt werden konnte]",
        stock="{name} ({id}): zurzeit haben wir {stock} auf Lager.",
        no_stock="{name} ({id}) ist zurzeit nicht auf Lager.",
        price="{name} ({id}) kostet {price}.",
        seasons="{name} ({id}) ist gedacht für: {seasons}.",
        catalogue="{name} ({id}), aus unserem Katalog: {description}",
        closing="Mit freundlichen Grüßen",
    ),
    "fr": LetterWords(
        greeting="Bonjour {name},",
        greeting_nobody="Bonjour,",
        thanks="Merci pour votre message.",
        ordered="Voici ce qu'il en est de votre commande :",
        created="- {fulfilled} × {name} ({id}) à {price} pièce : {total}",
        partial="- {name} ({id}) : sur les {quantity} souhaités, nous en avons {fulfilled}, à {price} pièce : {total}",
        out="- {name} ({id}) : en rupture de stock ({quantity} souhaités)",
        promotion="  Offre : {words}. Cela fait {discount} de moins.",
        gift="  Offert : {gift}",
        alternatives="  À la place, nous avons : {products}",
        at_price="{name} ({id}) à {price}",
        total="Total : {total}",
        nothing="Rien de ce que vous souhaitez n'est disponible pour le moment.",
        lower="Vous écrivez « {text} » ; nous en avons pris {low}. Dites-nous s'il en faut plus.",
        how_many="Combien de {name} ({id}) souhaitez-vous ? Vous écrivez « {text} ».",
        which="Quel produit désignez-vous par « {text} » ?",
        perhaps="Peut-être {products} ?",
        unknown="Nous n'avons pas trouvé « {text} » dans notre gamme. Pourriez-vous nous donner son numéro ou son nom ?",
        unanswered="[confirm: réponse à « {question} »]",
        failed="[confirm: ce qui n'a pu être établi ici]",
        stock="{name} ({id}) : nous en avons {stock} en stock pour le moment.",
        no_stock="{name} ({id}) est en rupture de stock pour le moment.",
        price="{name} ({id}) coûte {price}.",
        seasons="{name} ({id}) est prévu pour : {seasons}.",
        catalogue="{name} ({id}), selon notre catalogue : {description}",
        closing="Cordialement,",
    ),
    "es": LetterWords(
        greeting="Hola {name}:",
        greeting_nobody="Hola:",
        thanks="Gracias por su mensaje.",
        ordered="Sobre su pedido:",
        created="- {fulfilled} × {name} ({id}) a {price} cada uno: {total}",
        partial="- {name} ({id}): de los {quantity} que desea tenemos {fulfilled}, a {price} cada uno: {total}",
        out="- {name} ({id}): agotado ({quantity} deseados)",
        promotion="  Oferta: {words}. Son {discount} menos.",
        gift="  Incluido: {gift}",
        alternatives="  En su lugar tenemos: {products}",
        at_price="{name} ({id}) a {price}",
        total="Total: {total}",
        nothing="De lo que desea no hay nada disponible por ahora.",
        lower="Escribe «{text}»; hemos tomado {low}. Díganos si deben ser más.",
        how_many="¿Cuántos {name} ({id}) desea? Escribe «{text}».",
        which="¿A qué producto se refiere con «{text}»?",
        perhaps="¿Quizá {products}?",
        unknown="No hemos encontrado «{text}» en nuestro surtido. ¿Puede decirnos su número o su nombre?",
        unanswered="[confirm: respuesta a «{question}»]",
        failed="[confirm: lo que aquí no se pudo averiguar]",
        stock="{name} ({id}): por ahora tenemos {stock} en existencias.",
        no_stock="{name} ({id}) está agotado por ahora.",
        price="{name} ({id}) cuesta {price}.",
        seasons="{name} ({id}) es para: {seasons}.",
        catalogue="{name} ({id}), según nuestro catálogo: {description}",
        closing="Un cordial saludo,",
    ),
    "it": LetterWords(
        greeting="Buongiorno {name},",
        greeting_nobody="Buongiorno,",
        thanks="grazie per il suo messaggio.",
        ordered="Ecco che cosa risulta per il suo ordine:",
        created="- {fulfilled} × {name} ({id}) a {price} l'uno: {total}",
        partial="- {name} ({id}): dei {quantity} che desidera ne abbiamo {fulfilled}, a {price} l'uno: {total}",
        out="- {name} ({id}): esaurito ({quantity} richiesti)",
        promotion="  Offerta: {words}. Sono {discount} in meno.",
        gift="  Incluso: {gift}",
        alternatives="  Al suo posto abbiamo: {products}",
        at_price="{name} ({id}) a {price}",
        total="Totale: {total}",
        nothing="Di ciò che desidera al momento non c'è nulla.",
        lower="Lei scrive «{text}»; ne abbiamo presi {low}. Ci dica se devono essere di più.",
        how_many="Quanti {name} ({id}) desidera? Lei scrive «{text}».",
        which="Quale prodotto intende con «{text}»?",
        perhaps="Forse {products}?",
        unknown="Non abbiamo trovato «{text}» nel nostro assortimento. Può dirci il numero o il nome?",
        unanswered="[confirm: risposta a «{question}»]",
        failed="[confirm: ciò che qui non si è potuto stabilire]",
        stock="{name} ({id}): al momento ne abbiamo {stock}.",
        no_stock="{name} ({id}) al momento è esaurito.",
        price="{name} ({id}) costa {price}.",
        seasons="{name} ({id}) è pensato per: {seasons}.",
        catalogue="{name} ({id}), dal nostro catalogo: {description}",
        closing="Cordiali saluti,",
    ),
    "nl": LetterWords(
        greeting="Beste {name},",
        greeting_nobody="Goedendag,",
        thanks="Dank u voor uw bericht.",
        ordered="Over uw bestelling:",
        created="- {fulfilled} × {name} ({id}) voor {price} per stuk: {total}",
        partial="- {name} ({id}): van de {quantity} die u wenst hebben wij er {fulfilled}, voor {price} per stuk: {total}",
        out="- {name} ({id}): niet op voorraad ({quantity} gewenst)",
        promotion="  Aanbieding: {words}. Dat scheelt {discount}.",
        gift="  Erbij: {gift}",
        alternatives="  In plaats daarvan hebben wij: {products}",
        at_price="{name} ({id}) voor {price}",
        total="Totaal: {total}",
        nothing="Van wat u wenst is op dit moment niets beschikbaar.",
        lower="U schrijft “{text}”; wij hebben {low} genomen. Laat het ons weten als het er meer moeten zijn.",
        how_many="Hoeveel {name} ({id}) wenst u? U schrijft “{text}”.",
        which="Welk product bedoelt u met “{text}”?",
        perhaps="Misschien {products}?",
        unknown="Wij hebben “{text}” niet gevonden in ons assortiment. Kunt u ons het nummer of de naam noemen?",
        unanswered="[confirm: antwoord op “{question}”]",
        failed="[confirm: wat hier niet kon worden vastgesteld]",
        stock="{name} ({id}): op dit moment hebben wij er {stock} op voorraad.",
        no_stock="{name} ({id}) is op dit moment niet op voorraad.",
        price="{name} ({id}) kost {price}.",
        seasons="{name} ({id}) is bedoeld voor: {seasons}.",
        catalogue="{name} ({id}), uit onze catalogus: {description}",
        closing="Met vriendelijke groet,",
    ),
    "pt": LetterWords(
        greeting="Olá {name},",
        greeting_nobody="Olá,",
        thanks="Obrigado pela sua mensagem.",
        ordered="Sobre a sua encomenda:",
        created="- {fulfilled} × {name} ({id}) a {price} cada: {total}",
        partial="- {name} ({id}): dos {quantity} que deseja temos {fulfilled}, a {price} cada: {total}",
        out="- {name} ({id}): esgotado ({quantity} desejados)",
        promotion="  Oferta: {words}. São menos {discount}.",
        gift="  Incluído: {gift}",
        alternatives="  Em vez disso temos: {products}",
        at_price="{name} ({id}) a {price}",
        total="Total: {total}",
        nothing="Do que deseja, nada está disponível de momento.",
        lower="Escreve “{text}”; tomámos {low}. Diga-nos se devem ser mais.",
        how_many="Quantos {name} ({id}) deseja? Escreve “{text}”.",
        which="A que produto se refere com “{text}”?",
        perhaps="Talvez {products}?",
        unknown="Não encontrámos “{text}” na nossa gama. Pode dizer-nos o número ou o nome?",
        unanswered="[confirm: resposta a “{question}”]",
        failed="[confirm: o que aqui não se pôde apurar]",
        stock="{name} ({id}): de momento temos {stock} em stock.",
        no_stock="{name} ({id}) está esgotado de momento.",
        price="{name} ({id}) custa {price}.",
        seasons="{name} ({id}) destina-se a: {seasons}.",
        catalogue="{name} ({id}), do nosso catálogo: {description}",
        closing="Com os melhores cumprimentos,",
    ),
}


def words_of(language: str) -> LetterWords:
    """The sentences of the language; English for one that is not among them."""
    return WORDS.get(language, WORDS["en"])


def money(amount: object, currency: str, language: str) -> str:
    """ "1234.50 EUR" as the language writes its decimals; no thousands are marked off."""
    return f"{amount:.2f} {currency}".replace(".", words_of(language).decimal)
